/**
 * Lists archives, and finds copies on disk that the index does not name: it was damaged or removed, or a hook was killed
 * between the copy and its line. Hooks only append to the index, so that searching never delays a compaction.
 */
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UUID } from '../../../core/agents/fields';
import { FORMATS } from '../../../core/agents/registry';
import { readConfigFolder } from '../settings';
import { readSource } from '../transcripts/collect-sources';
import { type ArchiveIndex, appendEntry, readArchiveIndex } from './archive-index';
import { absolutePath, copyIdOf, repoKey, runsFolder, sessionName } from './archive-names';
import type { ArchiveEntry, ArchiveState, UploadState } from './archive-types';
import { digestFile } from './transcript-file';

/** `<session>_<UTC timestamp>[-<number>][_<id>]_transcript<extension>`; archives of a database have their id. */
const COPY_NAME =
  /^(.+)_(\d{8})_(\d{6})(?:-\d+)?(?:_([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}))?_transcript\.[^.]+$/;

interface Copy {
  repo: string;
  name: string;
  path: string;
}

/**
 * Read the index, and add the archives on disk that it does not name. Safe beside hooks and other processes: lines are
 * only appended, and a copy always gets the same id. If a line cannot be written, the archive is listed all the same.
 * @throws ArchiveIndexError for an unreadable index.
 */
export async function recoverIndex(configFolder: string): Promise<ArchiveIndex> {
  // The files first: a copy made after this has its line when the index is read, or is found the next time.
  const copies = await findCopies(configFolder);
  const { entries, unreadable, recovered } = await readArchiveIndex(configFolder);
  // The folder may have another path than before.
  const named = new Set(entries.map(({ archive }) => archive?.split(/[/\\]/).slice(-3).join('/')));
  const repos = entries.map(({ repo }) => repo);
  const found: ArchiveEntry[] = [];
  for (const copy of copies.filter(({ repo, name }) => !named.has(`${repo}/archives/${name}`))) {
    const entry = await describeCopy(copy, repos);
    // A hook reserves a name with an empty file.
    if (entry.bytes === 0) continue;
    found.push(entry);
    if (entry.bytes !== null) await appendEntry(configFolder, entry).catch(() => undefined);
  }
  return { entries: [...entries, ...found], unreadable, recovered: recovered + found.length };
}

async function findCopies(configFolder: string): Promise<Copy[]> {
  const runs = runsFolder(configFolder);
  const copies: Copy[] = [];
  for (const repo of await readdir(runs).catch(() => [])) {
    const folder = join(runs, repo, 'archives');
    const files = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const names = files.flatMap((file) => (file.isFile() && COPY_NAME.test(file.name) ? [file.name] : []));
    copies.push(...names.sort().map((name) => ({ repo, name, path: join(folder, name) })));
  }
  return copies;
}

/** What a copy's name and content state. Without bytes and hash if it cannot be read. Never throws. */
async function describeCopy(
  { repo: key, name, path }: Copy,
  repos: readonly string[],
): Promise<ArchiveEntry> {
  const [, owner = '', day = '', time = '', id] = COPY_NAME.exec(name) ?? [];
  const [, session = owner, agent] = /^(.+)_agent-(.+)$/.exec(owner) ?? [];
  const digest = await digestFile(path).catch(() => null);
  const found = await readSource(path).catch(() => null);
  const { folder = null, clientSessionId: stated = null } = found?.identity ?? {};
  // Only archives of a database have their id in the name.
  const format = id === undefined ? found?.format : FORMATS.find(({ database }) => database !== undefined);
  const own = [session, stated ?? ''].find((each) => UUID.test(each) || id !== undefined);
  const isUnknown = session === 'unknown';
  const at = `${day}${time}`.replace(/(....)(..)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:$6.000Z');
  return {
    id: id ?? copyIdOf(key, name, digest?.sha256 ?? ''),
    at: Number.isNaN(Date.parse(at)) ? new Date(0).toISOString() : at,
    state: 'stored',
    reason: null,
    session: format && own ? `${format.name}:${own}` : isUnknown ? null : `hook:${session}`,
    clientSessionId: stated !== null && (isUnknown || sessionName(stated) === session) ? stated : session,
    trigger: 'unknown',
    cwd: folder,
    repo: [...ancestorsOf(folder), ...repos].find((repo) => repoKey(repo) === key) ?? 'unknown',
    source: id === undefined ? null : path,
    archive: path,
    bytes: digest?.bytes ?? null,
    lines: digest?.lines ?? null,
    sha256: digest?.sha256 ?? null,
    asOf: id === undefined ? 'hook' : 'completed',
    upload: 'pending',
    ...(agent === undefined ? {} : { agent }),
    recoveredAt: new Date().toISOString(),
  };
}

/** The folder and the folders above it. */
function ancestorsOf(folder: string | null): string[] {
  if (folder === null) return [];
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...ancestorsOf(above)];
}

/** An archive with the state of its copy. */
export interface ListedArchive extends ArchiveEntry {
  /** Whether the copy exists: users may delete archives. */
  isThere: boolean;
}

/** Which archives to list; default: all. */
export interface ArchiveFilter {
  /** The repository's folder. Default: all repositories. */
  repoPath?: string;
  /** Session key, or the client's own session id. Default: all sessions. */
  session?: string;
  /** Only archives in this state. Default: all states. */
  state?: ArchiveState;
  /** Only archives with this upload state. Default: all. */
  upload?: UploadState;
}

/**
 * List the archives of the index and the copies on disk that it does not name, newest first.
 * @param configFolder default: the config folder of the hook.
 * @param filter which archives to list. Default: all.
 * @throws ArchiveIndexError for an unreadable index.
 */
export async function listArchives(
  configFolder: string = readConfigFolder(),
  filter: ArchiveFilter = {},
): Promise<ListedArchive[]> {
  return filterArchives(await recoverIndex(configFolder), filter);
}

/** The archives of an index that was read. */
export function filterArchives(
  { entries }: ArchiveIndex,
  { repoPath, session, state, upload }: ArchiveFilter,
): Promise<ListedArchive[]> {
  const repo = repoPath === undefined ? undefined : absolutePath(repoPath);
  const wanted = entries.filter(
    (entry) =>
      (repo === undefined || entry.repo === repo) &&
      (session === undefined || [entry.session, entry.clientSessionId].includes(session)) &&
      (state === undefined || entry.state === state) &&
      (upload === undefined || entry.upload === upload),
  );
  // Recovered archives are at the end of the index, whatever their time.
  const newestFirst = wanted.reverse().sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
  const list = newestFirst.map(async (entry): Promise<ListedArchive> => {
    const info = await stat(entry.archive ?? '').catch(() => null);
    return { ...entry, isThere: info?.isFile() === true };
  });
  return Promise.all(list);
}
