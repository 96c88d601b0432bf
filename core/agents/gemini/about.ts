import type { Client } from '../agent-format';

export const NAME = 'gemini-cli';

export const aboutGemini = {
  name: NAME,
  names: /^gemini(-cli)?$/i,
  label: 'Gemini CLI',
  resume: 'gemini --resume',
  // The variable replaces the home folder.
  transcripts: { variable: 'GEMINI_CLI_HOME', home: '', folders: ['.gemini/tmp'] },
  projectVariable: 'GEMINI_PROJECT_DIR',
  // With another trigger the hook fires before every call of the model.
  hookEvents: { PreCompress: { event: 'PreCompact', triggers: ['manual'] } },
} satisfies Client;

/** Key of the session with that id of Gemini CLI. */
export const keyOf = (id: string): string => `${NAME}:${id}`.slice(0, 400);
