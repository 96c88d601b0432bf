/**
 * Which session a Claude Code file belongs to. Sessions are keyed on the file, not on the id in each
 * line: real files hold two ids, and one id stands in two files.
 *
 * - `<projects>/<folder>/<id>.jsonl`: the session, its main chain.
 * - `<projects>/<folder>/<id>/subagents/…/agent-<agent>.jsonl`: a chain of that session.
 * - `<projects>/<folder>/agent-<agent>.jsonl` (older clients): a chain of the session its lines name.
 */
import { basename, dirname, sep } from 'node:path';
import type { TranscriptIdentity } from '../format';
import { splitValues } from '../split-values';
import { asFields, type Fields, textOf } from './read-fields';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const LINE_TYPES = new Set(
  [
    'user assistant system progress attachment summary file-history-snapshot file-history-delta queue-operation',
    'pr-link last-prompt mode permission-mode ai-title custom-title agent-name bridge-session atis-latch tools-used',
  ].flatMap((types) => types.split(' ')),
);

export function acceptsPath(path: string): boolean {
  return path.endsWith('.jsonl');
}

export function identify(path: string, head: string): TranscriptIdentity | null {
  const lines = head
    .split('\n')
    .flatMap((line) => splitValues(line).values.map(asFields))
    .filter((line): line is Fields => line !== undefined);
  if (!lines.some((line) => typeof line.type === 'string' && LINE_TYPES.has(line.type))) return null;
  // The other client's files have a `payload` on each line and share a few of the type names.
  if (lines.every((line) => 'payload' in line)) return null;

  const sessionId = first(lines, 'sessionId');
  const folder = first(lines, 'cwd');
  const place = placeOf(path, sessionId);
  if (place === null) return null;
  return {
    session: keyOf(place),
    chain: place.agent,
    folder,
    project: (folder === null ? '' : baseName(folder)) || place.folder || 'default',
    clientSessionId: UUID.test(place.stem) ? place.stem : sessionId,
  };
}

/** The key of the session whose file has, or had, that path; null where the path alone does not tell. */
export function sessionKeyOf(path: string): string | null {
  const place = placeOf(path, null);
  return place === null ? null : keyOf(place);
}

function keyOf({ folder, stem }: { folder: string; stem: string }): string {
  return `claude-code:${folder}/${stem}`.slice(0, 400);
}

function placeOf(path: string, sessionId: string | null) {
  const stem = basename(path).replace(/\.jsonl$/, '');
  const agent = /^agent-(.+)$/.exec(stem)?.[1] ?? null;
  const parts = dirname(path).split(sep);
  const at = parts.lastIndexOf('subagents');
  const session = at > 0 ? parts[at - 1] : undefined;
  if (session !== undefined) return { folder: parts[at - 2] ?? '', stem: session, agent: agent ?? stem };
  const folder = parts.at(-1) ?? '';
  if (agent === null) return { folder, stem, agent: null };
  return sessionId === null ? null : { folder, stem: sessionId, agent };
}

function first(lines: Fields[], field: string): string | null {
  for (const line of lines) {
    const value = textOf(line, field, 1000);
    if (value !== undefined) return value;
  }
  return null;
}

/** Last part of a path of either kind of system. */
function baseName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1)?.slice(0, 200) ?? '';
}
