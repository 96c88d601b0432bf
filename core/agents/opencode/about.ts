import type { Client } from '../agent-format';

export const aboutOpencode: Client = { name: 'opencode', names: /^opencode$/i, label: 'OpenCode' };
