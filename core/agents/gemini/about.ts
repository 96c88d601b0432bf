import type { Client } from '../agent-format';

export const aboutGemini: Client = {
  name: 'gemini-cli',
  names: /^gemini(-cli)?$/i,
  label: 'Gemini CLI',
  resume: 'gemini --resume',
};
