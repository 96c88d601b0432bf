import type { Client } from '../agent-format';

export const NAME = 'codex';

export const aboutCodex = {
  name: NAME,
  names: /^codex$/i,
  label: 'Codex',
  resume: 'codex resume',
} satisfies Client;
