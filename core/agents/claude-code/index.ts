import type { AgentFormat } from '../agent-format';
import { asFields } from '../fields';
import { NAME } from './about';
import { readEntry } from './entries';
import { identify, sessionKeyOf } from './identify';
import { createParser } from './items';
import { signs } from './signs';

const LINE_FIELDS = ['sessionId', 'uuid', 'leafUuid', 'messageId', 'session_id'];

export const claudeCode: AgentFormat<typeof NAME> = {
  name: NAME,
  acceptsPath: (path) => /\.jsonl$/i.test(path),
  readsAs: () => 'lines',
  identify,
  sessionKeyOf,
  isLine: (line) =>
    typeof line.type === 'string' &&
    asFields(line.payload) === null &&
    LINE_FIELDS.some((name) => name in line),
  readEntry,
  createParser,
  mainFileOf: (folder) => `${folder}.jsonl`,
  timeField: 'timestamp',
  callMark: '"usage"',
  signs,
};
