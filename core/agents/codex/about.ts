import type { Client } from '../agent-format';

export const NAME = 'codex';

const STATED_SHARE = 0.95;
/** The client compacts at 90 % of the model's window. */
const COMPACTION_SHARE = 0.9 / STATED_SHARE;

export const aboutCodex = {
  name: NAME,
  names: /^codex$/i,
  label: 'Codex',
  resume: 'codex resume',
  transcripts: { variable: 'CODEX_HOME', home: '.codex', folders: ['sessions', 'archived_sessions'] },
  summaryChain: 'acompact-',
  compactionShare: COMPACTION_SHARE,
  statedShare: STATED_SHARE,
} satisfies Client;

/** Key of the session with that id of Codex. */
export const keyOf = (id: string): string => `${NAME}:${id}`;
