import type { AgentFormat, TranscriptIdentity } from '../agent-format';
import { asFields, baseName, projectOf, UUID } from '../fields';
import { keyOf, NAME } from './about';
import { readEntry } from './entries';
import { createParser } from './items';
import { readBoundary } from './line';

/** Start of the first line. The line can be longer than the head of the file, so it is not parsed. */
const FIRST_LINE = /^\s*\{(?:"(?:timestamp|ordinal)":(?:"[^"]*"|\d+),)*"type":"session_meta","payload":/;
const SESSION_ID = /"id":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/i;
const ID_LENGTH = 36;
const FOLDER = /"cwd":"([^"\\]{1,1000})"/;

export const codex: AgentFormat<typeof NAME> = {
  name: NAME,
  acceptsPath: (path) => /^rollout-.+\.jsonl(\.zst)?$/.test(baseName(path)),
  readsAs: () => 'lines',
  identify(path, head): TranscriptIdentity | null {
    if (!FIRST_LINE.test(head)) return null;
    const [line = ''] = head.split('\n', 1);
    const folder = FOLDER.exec(line)?.[1] ?? null;
    const id = SESSION_ID.exec(line)?.[1] ?? null;
    return {
      session: id === null ? sessionKeyOf(path) : keyOf(id),
      chain: null,
      folder,
      project: projectOf(folder) ?? 'default',
      clientSessionId: id,
    };
  },
  sessionKeyOf,
  isLine: (line) => typeof line.type === 'string' && asFields(line.payload) !== null && 'timestamp' in line,
  readEntry,
  createParser,
  timeField: 'timestamp',
  callMark: '"last_token_usage"',
  signs: { boundary: { mark: '"compacted"', read: readBoundary } },
};

function sessionKeyOf(path: string): string {
  const name = baseName(path).replace(/\.jsonl(\.zst)?$/, '');
  // The file's name ends with the client's id.
  const id = name.slice(-ID_LENGTH);
  return keyOf(UUID.test(id) ? id : name).slice(0, 400);
}
