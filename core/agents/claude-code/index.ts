import type { AgentFormat, TranscriptIdentity } from '../agent-format';
import { asFields, cleanText, type Fields, pathParts, projectOf, UUID } from '../fields';
import { fieldsOn } from '../lines';
import { NAME } from './about';
import { readEntry } from './entries';
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

/**
 * The session of a Claude Code file. The file's name is the key if it is the client's id, else its folder and name. The
 * id in each line is not the key, because a file can have two ids and an id can be in two files.
 *
 * - `<projects>/<folder>/<id>.jsonl`: the session, its main chain.
 * - `<projects>/<folder>/<id>/subagents/…/agent-<agent>.jsonl`: a chain of that session.
 * - `<projects>/<folder>/agent-<agent>.jsonl` (older clients): a chain of the session named in its lines.
 */
const LINE_TYPES = new Set(
  [
    'user assistant system progress attachment summary file-history-snapshot file-history-delta queue-operation',
    'pr-link last-prompt mode permission-mode ai-title custom-title agent-name bridge-session atis-latch tools-used',
  ].flatMap((types) => types.split(' ')),
);

function identify(path: string, head: string): TranscriptIdentity | null {
  const lines = head.split('\n').flatMap(fieldsOn);
  if (!lines.some((line) => typeof line.type === 'string' && LINE_TYPES.has(line.type))) return null;
  // Other clients use some of these type names, but wrap each line in a `payload`.
  if (lines.every((line) => 'payload' in line)) return null;

  const sessionId = first(lines, 'sessionId');
  const folder = first(lines, 'cwd');
  const place = placeOf(path, sessionId);
  if (place === null) return null;
  return {
    session: keyOf(place),
    chain: place.agent,
    folder,
    project: (projectOf(folder) ?? place.folder) || 'default',
    clientSessionId: UUID.test(place.stem) ? place.stem : sessionId,
  };
}

function sessionKeyOf(path: string): string | null {
  const place = placeOf(path, null);
  return place === null ? null : keyOf(place);
}

function keyOf({ folder, stem }: { folder: string; stem: string }): string {
  return `${NAME}:${UUID.test(stem) ? '' : `${folder}/`}${stem}`.slice(0, 400);
}

function placeOf(path: string, sessionId: string | null) {
  const folders = pathParts(path);
  const stem = (folders.pop() ?? '').replace(/\.jsonl$/, '');
  const agent = /^agent-(.+)$/.exec(stem)?.[1] ?? null;
  const at = folders.lastIndexOf('subagents');
  const session = folders[at - 1];
  if (at > 0 && session !== undefined) {
    return { folder: folders[at - 2] ?? '', stem: session, agent: agent ?? stem };
  }
  const folder = folders.at(-1) ?? '';
  if (agent === null) return { folder, stem, agent: null };
  return sessionId === null ? null : { folder, stem: sessionId, agent };
}

function first(lines: readonly Fields[], field: string): string | null {
  for (const line of lines) {
    const value = cleanText(line[field], 1000);
    if (value !== null) return value;
  }
  return null;
}
