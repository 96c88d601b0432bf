/**
 * Adds completed versions to the index: the transcript including the compaction's own line. There is no second copy: the
 * bytes are the first ones of the client's file, which is append-only; the hash detects any other change.
 *
 * The id derives from project, session and compaction, so the hook, `watch` and `import` agree on it.
 */
import { dirname } from 'node:path';
import { appendEntry, readArchiveIndex } from '../archive/archive-index';
import { absolutePath, archiveIdOf } from '../archive/archive-names';
import type { ArchiveEntry } from '../archive/archive-types';
import { findChanged } from '../archive/sub-agents';
import { type Digest, digestFile } from '../archive/transcript-file';
import { type Boundary, type BoundarySearch, findBoundaries } from './find-boundaries';

export interface CompletionRequest extends BoundarySearch {
  path: string;
  session: string;
  clientSessionId: string | null;
  /** Id of the sub-agent that wrote the file; null or absent for the session's transcript. */
  agent?: string | null;
  folder: string | null;
  project: string;
  configFolder: string;
  /** Milliseconds since the epoch, if neither hook nor line has a time. */
  now: number;
}

/**
 * Add a completed archive for each compaction that has none yet, and one for each changed file of the session's
 * sub-agents.
 * @returns those of the compactions, in the order of the file. @throws what the file system throws.
 */
export async function completeArchives(request: CompletionRequest): Promise<ArchiveEntry[]> {
  const { configFolder } = request;
  const boundaries = await findBoundaries(request.path, request);
  if (boundaries.length === 0) return [];
  const { entries } = await readArchiveIndex(configFolder);
  const known = new Set(entries.map(({ id }) => id));
  const hooks = entries.filter(({ asOf, session }) => asOf === 'hook' && session === request.session);
  const made: ArchiveEntry[] = [];
  let before = 0;
  for (const boundary of boundaries) {
    const entry = toEntry(boundary, before, hooks, request);
    before = boundary.digest.bytes;
    if (known.has(entry.id)) continue;
    await appendEntry(configFolder, entry);
    made.push(entry);
  }
  // Once per session, after its last compaction: a sub-agent's file only grows.
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
  // The hook's copy of the same compaction ends between the previous line and this one.
  const hook = hooks.findLast(
    (entry) => entry.bytes !== null && entry.bytes > before && entry.bytes <= bytes && entry.source === path,
  );
  const about = {
    at: hook?.at ?? new Date(boundary.at ?? request.now).toISOString(),
    session,
    clientSessionId: clientSessionId ?? hook?.clientSessionId ?? 'unknown',
    trigger: hook?.trigger ?? boundary.trigger ?? 'unknown',
    cwd: folder,
    repo: hook?.repo ?? absolutePath(folder ?? dirname(path)),
    project,
  };
  return {
    ...completed(about, path, boundary.digest),
    id: archiveIdOf(project, session, boundary.id ?? sha256),
    ...(agent ? { agent } : {}),
    ...(boundary.id === null ? {} : { boundary: boundary.id }),
    ...(hook === undefined ? {} : { completes: hook.id }),
  };
}

/** Add index entries for changed sub-agent files after a compaction, without copies. */
async function noteSubAgents(request: CompletionRequest, after: ArchiveEntry): Promise<void> {
  const { path: transcript, session, project, configFolder, now } = request;
  for (const { path, agent, bytes, modifiedAt } of await findChanged(transcript, session, configFolder)) {
    const digest = await digestFile(path, bytes).catch(() => null);
    // Deleted by its client.
    if (digest === null) continue;
    const at = new Date(Math.min(modifiedAt, now)).toISOString();
    const id = archiveIdOf(project, session, `agent ${agent} ${digest.sha256}`);
    const { clientSessionId, trigger, cwd, repo } = after;
    const about = { at, session, clientSessionId, trigger, cwd, repo, project };
    await appendEntry(configFolder, { ...completed(about, path, digest), id, agent });
  }
}

type About = Pick<
  ArchiveEntry,
  'at' | 'session' | 'clientSessionId' | 'trigger' | 'cwd' | 'repo' | 'project'
>;

/** An entry whose bytes are the first ones of `source`. */
function completed(about: About, source: string, { bytes, lines, sha256 }: Digest): Omit<ArchiveEntry, 'id'> {
  return {
    ...about,
    state: 'stored',
    reason: null,
    source,
    archive: null,
    bytes,
    lines,
    sha256,
    asOf: 'completed',
    upload: 'pending',
  };
}
