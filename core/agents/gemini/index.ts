import type { AgentFormat, TranscriptIdentity } from '../agent-format';
import { UUID } from '../fields';
import { keyOf, NAME } from './about';
import { readEntry } from './entries';
import { createParser } from './items';
import { BOUNDARY_MARK, isMessage, readBoundary } from './record';

const IDS = /"(sessionId|projectHash)":\s*"([^"\\]{1,200})"/g;
const KIND = /"kind":\s*"subagent"/;

export const gemini: AgentFormat<typeof NAME> = {
  name: NAME,
  acceptsPath: (path) => /\.json$/i.test(path) || /[\\/]chats[\\/].+\.jsonl$/.test(path),
  readsAs: (path) => (/\.json$/i.test(path) ? 'document' : 'lines'),
  identify(path, head): TranscriptIdentity | null {
    const [start = ''] = head.split('"messages"', 1);
    const ids = Object.fromEntries([...start.matchAll(IDS)].map(([, name = '', id = '']) => [name, id]));
    const { sessionId: id, projectHash } = ids;
    if (id === undefined || projectHash === undefined || !/^\s*\{\s*"/.test(head)) return null;
    const parent = KIND.test(start.split('\n', 1)[0] ?? '') ? parentOf(path) : null;
    return {
      session: keyOf(parent ?? id),
      chain: parent === null ? null : id,
      folder: null,
      project: 'default',
      clientSessionId: parent === null ? id : null,
    };
  },
  // The path contains only the first digits of the id, so the key needs the client's id.
  sessionKeyOf: (path, id) => (id === null || parentOf(path) !== null ? null : keyOf(id)),
  folderFileOf: (path) => path.replace(/([\\/])chats[\\/].*$/, '$1.project_root'),
  isLine: (line) => '$set' in line || '$rewindTo' in line || 'projectHash' in line || isMessage(line),
  readEntry,
  createParser,
  timeField: 'timestamp',
  callMark: '"tokens"',
  signs: { boundary: { mark: BOUNDARY_MARK, read: readBoundary } },
};

/** The parent session of a sub-agent's file: the name of the file's folder. Null: the file is not a sub-agent's. */
function parentOf(path: string): string | null {
  const parent = /[\\/]chats[\\/]([^\\/]+)[\\/][^\\/]+$/.exec(path)?.[1] ?? '';
  return UUID.test(parent) ? parent : null;
}
