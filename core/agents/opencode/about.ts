import type { Client } from '../agent-format';

export const NAME = 'opencode';

export const aboutOpencode = {
  name: NAME,
  names: /^opencode$/i,
  label: 'OpenCode',
  resume: 'opencode --session',
  transcripts: { variable: 'XDG_DATA_HOME', home: '.local/share', folders: ['opencode/opencode.db'] },
  summaryChain: 'acompact-',
} satisfies Client;

/** The session key for OpenCode's id of a session. */
export const keyOf = (id: string): string => `${NAME}:${id}`.slice(0, 400);
