import type { Client } from '../agent-format';

export const NAME = 'gemini-cli';

export const aboutGemini = {
  name: NAME,
  names: /^gemini(-cli)?$/i,
  label: 'Gemini CLI',
  resume: 'gemini --resume',
  // The variable replaces `~`.
  transcripts: { variable: 'GEMINI_CLI_HOME', home: '', folders: ['.gemini/tmp'] },
  projectVariable: 'GEMINI_PROJECT_DIR',
  // With a different trigger, the hook fires before every call of the model.
  hookEvents: { PreCompress: { event: 'PreCompact', triggers: ['manual'] } },
} satisfies Client;

/** The session key for Gemini CLI's id of a session. */
export const keyOf = (id: string): string => `${NAME}:${id}`.slice(0, 400);
