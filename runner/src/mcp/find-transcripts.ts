/** The transcripts of a project folder on this machine: live files of the clients, and archives without a live file. */
import { statSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import { listArchives } from '../archive/list-archives';
import type { RunnerSettings } from '../settings';
import { readSource, type TranscriptSource } from '../transcripts/collect-sources';
import { isDatabase } from '../transcripts/database-sources';
import { sweepFolder } from '../transcripts/sweep-folder';

export interface LocalTranscript {
  /** The client's session id, or the id of the archive. */
  id: string;
  path: string;
  modifiedAt: number;
  bytes: number;
  /** Null: the file is an archive. */
  source: TranscriptSource | null;
}

/** Main files whose session worked in the folder or below it, newest first. */
export function createTranscriptFinder(
  settings: Pick<RunnerSettings, 'transcripts'>,
  configFolder: string,
  folder: string,
) {
  /** What the head of each file stated. A head never changes, but an early head may lack the folder. */
  const known = new Map<string, TranscriptSource | null>();

  const isOfFolder = (path: string | null): boolean => {
    // A recovered archive may be of an unknown folder, and `relative` would take that for a name in this folder.
    if (path === null || !isAbsolute(path)) return false;
    const inner = relative(folder, path);
    return inner === '' || !(inner.startsWith('..') || isAbsolute(inner));
  };

  async function readHead(path: string): Promise<TranscriptSource | null> {
    const before = known.get(path);
    if (before !== undefined && before?.identity.folder != null) return before;
    const source = await readSource(path).catch(() => null);
    known.set(path, source);
    return source;
  }

  async function live(): Promise<LocalTranscript[]> {
    const found: LocalTranscript[] = [];
    const roots = settings.transcripts.map((place) => place.folder);
    const linked = new Set<string>();
    for (const root of roots) {
      if (isDatabase(root)) continue;
      for (const path of (await sweepFolder(root, { roots, linked })).keys()) {
        const source = await readHead(path);
        if (source === null || source.identity.chain !== null || !isOfFolder(source.identity.folder))
          continue;
        const info = statSync(path, { throwIfNoEntry: false });
        if (info === undefined) continue;
        const id = source.identity.clientSessionId ?? source.identity.session;
        found.push({ id, path, modifiedAt: info.mtimeMs, bytes: info.size, source });
      }
    }
    return found.sort((a, b) => b.modifiedAt - a.modifiedAt);
  }

  /** Archives of the folder whose copy exists, newest first. */
  async function archives(): Promise<(LocalTranscript & { session: string; at: string })[]> {
    const entries = await listArchives(configFolder, { state: 'stored' });
    return entries.flatMap(({ id, archive, isThere, cwd, repo, at, bytes, clientSessionId: session }) =>
      isThere && archive !== null && isOfFolder(cwd ?? repo)
        ? [{ id, path: archive, modifiedAt: Date.parse(at), bytes: bytes ?? 0, source: null, session, at }]
        : [],
    );
  }

  return {
    archives,
    live,
    /** Live transcripts, and the newest archive of each session without one. */
    async all(): Promise<LocalTranscript[]> {
      const files = await live();
      const covered = new Set(files.map(({ id }) => id));
      const others: LocalTranscript[] = [];
      for (const archive of await archives()) {
        if (covered.has(archive.session)) continue;
        covered.add(archive.session);
        others.push(archive);
      }
      return [...files, ...others];
    },
  };
}
