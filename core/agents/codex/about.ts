import type { Client } from '../agent-format';

export const NAME = 'codex';

export const aboutCodex = {
  name: NAME,
  names: /^codex$/i,
  label: 'Codex',
  resume: 'codex resume',
  transcripts: { variable: 'CODEX_HOME', home: '.codex', folders: ['sessions', 'archived_sessions'] },
  summaryChain: 'acompact-',
} satisfies Client;

/** Key of the session with that id of Codex. */
export const keyOf = (id: string): string => `${NAME}:${id}`;
