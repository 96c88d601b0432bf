/**
 * Adds completed versions to the index: the transcript including the compaction's own line. There is no second copy: the
 * client's file is append-only, and the hash detects any other change.
 */
import { dirname } from 'node:path';
import { ownIdOf, sessionKeyOf } from '../../../core/agents/registry';
import { appendEntry, readArchiveIndex } from '../archive/archive-index';
import { absolutePath, archiveIdOf } from '../archive/archive-names';
import type { ArchiveEntry } from '../archive/archive-types';
import { findChanged } from '../archive/sub-agents';
import { type Digest, digestFile } from '../archive/transcript-file';
import { type Boundary, findBoundaries } from './find-boundaries';

export interface CompletionRequest {
  path: string;
  /** Compactions before this byte are left out. Default 0. */
  after?: number;
  session: string;
  clientSessionId: string | null;
  /** Id of the sub-agent that wrote the file; null or absent for the session's transcript. */
  agent?: string | null;
  folder: string | null;
  project: string;
  configFolder: string;
  /** Used if neither hook nor line has a time. Milliseconds since the epoch. */
  now: number;
}

/**
 * Add a completed archive for each compaction without one, and for each changed file of the session's sub-agents.
 * @returns the archives of the compactions, in the order of the file. @throws what the file system throws.
 */
export async function completeArchives(request: CompletionRequest): Promise<ArchiveEntry[]> {
  const { configFolder } = request;
  const boundaries = await findBoundaries(request.path, request.after);
  if (boundaries.length === 0) return [];
  const { entries } = await readArchiveIndex(configFolder);
  const known = new Set(entries.map(({ id }) => id));
  const hooks = entries.filter(({ asOf, source }) => asOf === 'hook' && source === request.path);
  const made: ArchiveEntry[] = [];
  let before = 0;
  for (const boundary of boundaries) {
    const entry = toEntry(boundary, before, hooks, request);
    before = boundary.digest.bytes;
    if (known.has(entry.id)) continue;
    await appendEntry(configFolder, entry);
    made.push(entry);
  }
  // Once is enough, after the last compaction: a sub-agent's file only grows.
  const last = made.at(-1);
  if (last !== undefined && !request.agent) await noteSubAgents(request, last);
  return made;
}

function toEntry(
  boundary: Boundary,
  before: number,
  hooks: readonly ArchiveEntry[],
  request: CompletionRequest,
): ArchiveEntry {
  const { project, session, folder, path, clientSessionId, agent } = request;
  const { bytes, sha256 } = boundary.digest;
  // The hook's copy ends between the lines of the previous compaction and of this compaction.
  const hook = hooks.findLast(
    (entry) => entry.bytes !== null && entry.bytes > before && entry.bytes <= bytes,
  );
  return {
    ...completed(path, boundary.digest),
    id: archiveIdOf(project, ownerOf(request), boundary.id ?? sha256),
    at: hook?.at ?? new Date(boundary.at ?? request.now).toISOString(),
    session,
    clientSessionId: clientSessionId ?? hook?.clientSessionId ?? 'unknown',
    trigger: hook?.trigger ?? boundary.trigger ?? 'unknown',
    cwd: folder,
    repo: hook?.repo ?? absolutePath(folder ?? dirname(path)),
    project,
    ...(agent ? { agent } : {}),
    ...(boundary.id === null ? {} : { boundary: boundary.id }),
    ...(hook === undefined ? {} : { completes: hook.id }),
  };
}

/** The session's key by the client's own id, so that a program with its own key and `watch` make the same archive. */
const ownerOf = ({ path, session, clientSessionId }: CompletionRequest): string =>
  ownIdOf(session) === null ? (sessionKeyOf(path, clientSessionId) ?? session) : session;

/** Add index entries for changed sub-agent files, with the time of the compaction. The files are not copied. */
async function noteSubAgents(request: CompletionRequest, after: ArchiveEntry): Promise<void> {
  const { path: transcript, session, project, configFolder } = request;
  const { boundary: _boundary, completes: _completes, ...about } = after;
  for (const { path, agent, bytes } of await findChanged(transcript, session, configFolder)) {
    const digest = await digestFile(path, bytes).catch(() => null);
    if (digest === null) continue;
    const id = archiveIdOf(project, ownerOf(request), `agent ${agent} ${digest.sha256}`);
    await appendEntry(configFolder, { ...about, ...completed(path, digest), id, agent });
  }
}

/** Fields of an entry without a copy: its content is the start of `source`. */
function completed(source: string, { bytes, lines, sha256 }: Digest) {
  const stored = { state: 'stored', asOf: 'completed', upload: 'pending' } as const;
  return { ...stored, reason: null, archive: null, source, bytes, lines, sha256 };
}
