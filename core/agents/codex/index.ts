import type { AgentFormat, TranscriptIdentity } from '../agent-format';
import { asFields, baseName } from '../fields';
import { NAME } from './about';
import { readBoundary, readEntry } from './entries';

/** Start of the first line. The line can be longer than the head of the file, so it is not parsed. */
const FIRST_LINE = /^\s*\{(?:"(?:timestamp|ordinal)":(?:"[^"]*"|\d+),)*"type":"session_meta","payload":/;
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const SESSION_ID = new RegExp(`"id":"(${UUID})"`, 'i');
const FOLDER = /"cwd":"([^"\\]{1,1000})"/;

export const codex: AgentFormat<typeof NAME> = {
  name: NAME,
  acceptsPath: (path) => /^rollout-.+\.jsonl$/.test(baseName(path)),
  identify(path, head): TranscriptIdentity | null {
    if (!FIRST_LINE.test(head)) return null;
    const [line = ''] = head.split('\n', 1);
    const folder = FOLDER.exec(line)?.[1] ?? null;
    return {
      session: sessionKeyOf(path),
      chain: null,
      folder,
      project: (folder === null ? '' : baseName(folder).slice(0, 200)) || 'default',
      clientSessionId: SESSION_ID.exec(line)?.[1] ?? null,
    };
  },
  sessionKeyOf,
  isLine: (line) => typeof line.type === 'string' && asFields(line.payload) !== null && 'timestamp' in line,
  readEntry,
  timeField: 'timestamp',
  signs: { boundary: { mark: '"compacted"', read: readBoundary } },
};

function sessionKeyOf(path: string): string {
  return `${NAME}:${baseName(path).replace(/\.jsonl$/, '')}`.slice(0, 400);
}
