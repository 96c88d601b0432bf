import type { AgentFormat, TranscriptIdentity } from '../agent-format';
import { asFields, asNonEmptyText, asText, parseFields, projectOf } from '../fields';
import { keyOf, NAME } from './about';
import { readEntry } from './entries';
import { createParser } from './items';
import { database } from './queries';
import { isTyped } from './rows';

export const opencode: AgentFormat<typeof NAME> = {
  name: NAME,
  acceptsPath: (path) => /[\\/]opencode[\w-]*\.db(#\w+)?$/.test(path),
  readsAs: () => 'database',
  database,
  identify(_path, head): TranscriptIdentity | null {
    const { id, root, directory } = parseFields(head) ?? {};
    const own = asNonEmptyText(id);
    const top = asNonEmptyText(root) ?? own;
    if (own === null || top === null) return null;
    const folder = asText(directory);
    const isRoot = own === top;
    return {
      session: keyOf(top),
      chain: isRoot ? null : own,
      folder,
      project: projectOf(folder) ?? 'default',
      clientSessionId: isRoot ? own : null,
    };
  },
  sessionKeyOf: (_path, id) => (id === null ? null : keyOf(id)),
  isLine: (row) =>
    (Array.isArray(row.parts) && asFields(row.message) !== null) ||
    isTyped(row) ||
    ('session' in row && 'directory' in row && 'created' in row),
  readEntry,
  createParser,
  timeField: 'time',
  callMark: '"tokens"',
  signs: {},
};
