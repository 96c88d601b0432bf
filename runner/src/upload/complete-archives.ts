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
import { type Boundary, type BoundarySearch, findBoundaries } from './find-boundaries';

export interface CompletionRequest extends BoundarySearch {
  /** Absolute path of the transcript. */
  path: string;
  /** Session key. */
  session: string;
  clientSessionId: string | null;
  /** Id of the sub-agent that wrote the file; null or absent for the session's transcript. */
  agent?: string | null;
  /** The agent's folder. */
  folder: string | null;
  project: string;
  /** Absolute. */
  configFolder: string;
  /** Milliseconds since the epoch, if neither hook nor line has a time. */
  now: number;
}

export interface Completion {
  /** Compactions in the file. */
  found: number;
  /** New index entries, in the order of the file. */
  made: ArchiveEntry[];
}

/** Add a completed archive for each compaction that has none yet. @throws what the file system throws. */
export async function completeArchives(request: CompletionRequest): Promise<Completion> {
  const { configFolder } = request;
  const boundaries = await findBoundaries(request.path, request);
  const found = boundaries.length;
  if (found === 0) return { found, made: [] };
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
  return { found, made };
}

function toEntry(
  boundary: Boundary,
  before: number,
  hooks: readonly ArchiveEntry[],
  request: CompletionRequest,
): ArchiveEntry {
  const { bytes, lines, sha256 } = boundary.digest;
  const { project, session, folder, path } = request;
  // The hook's copy of the same compaction ends between the previous line and this one.
  const hook = hooks.findLast(
    (entry) => entry.bytes !== null && entry.bytes > before && entry.bytes <= bytes && entry.source === path,
  );
  return {
    id: archiveIdOf(project, session, boundary.id ?? sha256),
    at: hook?.at ?? new Date(boundary.at ?? request.now).toISOString(),
    state: 'stored',
    reason: null,
    session,
    clientSessionId: request.clientSessionId ?? hook?.clientSessionId ?? 'unknown',
    trigger: hook?.trigger ?? boundary.trigger ?? 'unknown',
    cwd: folder,
    repo: hook?.repo ?? absolutePath(folder ?? dirname(path)),
    source: path,
    archive: null,
    bytes,
    lines,
    sha256,
    asOf: 'completed',
    upload: 'pending',
    project,
    ...(request.agent ? { agent: request.agent } : {}),
    ...(boundary.id === null ? {} : { boundary: boundary.id }),
    ...(hook === undefined ? {} : { completes: hook.id }),
  };
}
