/**
 * Finds the transcripts below a folder. Links to folders and files outside of it are followed, each target once. A file
 * behind a link keeps the path through the link, because the client writes it by that path.
 */
import { statSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { isTranscriptPath } from '../../../core/agents/registry';
import { messageOf } from '../guard';
import { isCompressed, plainPathOf } from './compressed-files';
import { isDatabase, listSessions } from './database-sources';

export interface SweepOptions {
  /** Default: true. */
  followsLinks?: boolean;
  /** Folders that are swept too: a link into one of them is not followed. */
  roots?: readonly string[];
  /** Real paths behind the links that were followed. Sweeps that share it follow each target once. */
  linked?: Set<string>;
  /** Called for each folder, link and database that cannot be read, or not all of it. */
  onLeftOut?(path: string, reason: string): void;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'broken link',
  ELOOP: 'link to itself',
  EACCES: 'no permission to read it',
  EPERM: 'no permission to read it',
};

export interface SweptFile {
  /** Of a session in a database: the time of its last change instead. */
  size: number;
  /** Time of the last write, milliseconds; 0 for a session in a database. */
  modifiedAt: number;
}

/** All transcripts below a folder, by path. */
export async function sweepFolder(
  folder: string,
  options: SweepOptions = {},
): Promise<Map<string, SweptFile>> {
  const { followsLinks = true, roots = [], linked = new Set(), onLeftOut } = options;
  const found = new Map<string, SweptFile>();
  const links: string[] = [];
  const files: [path: string, real: string][] = [];
  const leaveOut = (path: string, error: unknown) =>
    onLeftOut?.(path, REASONS[(error as NodeJS.ErrnoException).code ?? ''] ?? messageOf(error));

  async function takeDatabase(path: string): Promise<void> {
    const { sizes, unread } = await listSessions(path);
    for (const [session, size] of sizes) found.set(session, { size, modifiedAt: 0 });
    for (const { path: file, reason } of unread) onLeftOut?.(file, reason);
  }

  async function takeFile(path: string): Promise<void> {
    if (isDatabase(path)) await takeDatabase(path);
    else if (isTranscriptPath(path)) {
      const info = statNow(path);
      if (info !== null) found.set(path, { size: info.size, modifiedAt: info.mtimeMs });
    }
  }

  /** @param real the real path behind a link; null: the folder is not behind a link */
  async function walk(path: string, real: string | null): Promise<void> {
    if (real !== null && linked.has(real)) return;
    if (real !== null) linked.add(real);
    const entries = await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      // The client may have removed the folder.
      if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') leaveOut(path, error);
      return [];
    });
    for (const entry of entries) {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) await walk(inner, real && join(real, entry.name));
      else if (entry.isFile()) await takeFile(inner);
      else if (entry.isSymbolicLink()) links.push(inner);
    }
  }

  async function follow(path: string, bases: readonly string[]): Promise<void> {
    const real = await realpath(path);
    if (bases.some((base) => isWithin(real, base))) return;
    if ((await stat(real)).isDirectory()) {
      if (bases.some((base) => isWithin(base, real))) onLeftOut?.(path, 'link to a folder above it');
      else await walk(path, real);
      return;
    }
    files.push([path, real]);
  }

  async function followLinks(): Promise<void> {
    const bases = await Promise.all([folder, ...roots].map((base) => realpath(base).catch(() => base)));
    // Links behind links are added while the list is read. The order of a folder's entries may change.
    for (const path of links.sort())
      await follow(path, bases).catch((error: unknown) => leaveOut(path, error));
    for (const [path, real] of files) {
      if (linked.has(real) || linked.has(dirname(real))) continue;
      linked.add(real);
      await takeFile(path);
    }
  }

  if (isDatabase(folder)) await takeFile(folder);
  else await walk(folder, null);
  if (links.length > 0 && followsLinks) await followLinks();
  const kept = new Set(withoutTwins([...found.keys()]));
  for (const path of found.keys()) if (!kept.has(path)) found.delete(path);
  return found;
}

/** While a client compresses a file, both forms exist. The plain file then is the transcript. */
export function withoutTwins(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return paths.filter((path) => !isCompressed(path) || !all.has(plainPathOf(path)));
}

const isWithin = (path: string, base: string) =>
  path === base || path.startsWith(base.endsWith(sep) ? base : base + sep);

/** Without a promise: `watch` asks thousands of times per second, and a promise costs several times as much. */
export function statNow(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
