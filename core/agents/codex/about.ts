import type { Client } from '../agent-format';

export const NAME = 'codex';

/** The client states 95 % of the model's window, and compacts at 90 %. */
const COMPACTION_SHARE = 0.9 / 0.95;

export const aboutCodex = {
  name: NAME,
  names: /^codex$/i,
  label: 'Codex',
  resume: 'codex resume',
  transcripts: { variable: 'CODEX_HOME', home: '.codex', folders: ['sessions', 'archived_sessions'] },
  summaryChain: 'acompact-',
  compactionShare: COMPACTION_SHARE,
} satisfies Client;

/** Key of the session with that id of Codex. */
export const keyOf = (id: string): string => `${NAME}:${id}`;
