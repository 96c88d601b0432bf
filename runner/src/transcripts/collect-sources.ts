/** Finds transcripts below the given paths, and the session of each transcript. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { access, constants, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { projectOf } from '../../../core/agents/fields';
import { type Identified, identify, isTranscriptPath, mainFilesOf } from '../../../core/agents/registry';
import { messageOf } from '../guard';
import { isCompressed, readCompressedHead } from './compressed-files';
import { findSession, isDatabase } from './database-sources';
import { type SweepOptions, statNow, sweepFolder, withoutTwins } from './sweep-folder';

export interface TranscriptSource extends Identified {
  path: string;
  bytes: number;
  /** Time of the last write, milliseconds; used for lines without a time. */
  modifiedAt: number;
}

interface Span {
  /** Times of the main file's first and newest line, milliseconds; 0 if unknown. */
  firstAt: number;
  lastAt: number;
  /** Whether the file is newer than its first line, as a fork that copied lines is, or a restored file. */
  isLate: boolean;
}

export interface TranscriptSession extends Span {
  session: string;
  /** The main file first, then the files of sub-agents. */
  sources: TranscriptSource[];
}

export interface Collected {
  sessions: TranscriptSession[];
  /** `isFault`: the user gave this path itself, or it cannot be read completely. */
  skipped: { path: string; reason: string; isFault: boolean }[];
}

/** Maximum number of folders between a main file and a sub-agent's file. */
const MAX_DEPTH = 6;
const HEAD_BYTES = [64 * 1024, 1024 * 1024, 8 * 1024 * 1024];
const TAIL_BYTES = 64 * 1024;
const FOLDER_BYTES = 4096;
/** Lines older than their file by more than this were copied from another file. */
export const COPIED_AFTER_MS = 10_000;

/** Sessions in reading order: a session precedes the forks that copied its lines. */
export async function collectSources(paths: readonly string[]): Promise<Collected> {
  const skipped: Collected['skipped'] = [];
  /** Paths by the real paths: a file may be below two of the given paths. */
  const files = new Map<string, string>();
  const onLeftOut = (path: string, reason: string) =>
    skipped.push({ path, reason, isFault: isDatabase(path) });
  const asked = new Set(paths.map((path) => resolve(path)));
  for (const path of paths) {
    const before = skipped.length;
    const found = await expandPath(resolve(path), { onLeftOut });
    if (found.length === 0 && skipped.length === before) {
      const isThere = (await statOf(path)) !== null;
      const reason = isThere ? 'no transcript found' : 'no such file or folder';
      skipped.push({ path, reason, isFault: true });
    }
    for (const file of found) {
      const real = await realpath(file).catch(() => file);
      if (!files.has(real)) files.set(real, file);
    }
  }
  const sessions = new Map<string, TranscriptSession>();
  for (const path of withoutTwins([...files.values()].sort())) {
    let problem: string | null = null;
    const source = await readSource(path).catch((error) => {
      problem = messageOf(error);
      return null;
    });
    if (source === null) {
      // Other programs also write .json files, so a .json file in a folder is skipped silently.
      const isFault = asked.has(path) || isDatabase(path) || (problem !== null && isCompressed(path));
      const reason = problem ?? (await reasonFor(path));
      if (isFault || extname(path) !== '.json') skipped.push({ path, reason, isFault });
      continue;
    }
    const { session, chain } = source.identity;
    const group = sessions.get(session) ?? { session, sources: [], firstAt: 0, lastAt: 0, isLate: false };
    sessions.set(session, group);
    if (chain !== null) group.sources.push(source);
    else {
      group.sources.unshift(source);
      Object.assign(group, await readSpan(source));
    }
  }
  const inOrder = [...sessions.values()].sort(
    (a, b) => compareSpans(a, b) || (a.session < b.session ? -1 : 1),
  );
  return { sessions: inOrder, skipped };
}

async function reasonFor(path: string): Promise<string> {
  const isReadable = await access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
  return isReadable ? 'no transcript of a known client' : 'no permission to read it';
}

export async function readSpan(source: Pick<TranscriptSource, 'path' | 'format'>): Promise<Span> {
  const { path, format } = source;
  const info = statNow(path);
  const firstAt = timesIn(await readHead(path, TAIL_BYTES), format)[0] ?? 0;
  const lastAt = isCompressed(path) ? (info?.mtimeMs ?? 0) : (readLastTime(source) ?? 0);
  const bornAt = info?.birthtimeMs || info?.ctimeMs || 0;
  // The client creates a compressed file when its session is over.
  return { firstAt, lastAt, isLate: !isCompressed(path) && bornAt > firstAt + COPIED_AFTER_MS };
}

/**
 * Negative: the first session is the original of two that share their first lines. It may have continued after the fork,
 * so its newest line decides last.
 */
export function compareSpans(a: Span, b: Span): number {
  return a.firstAt - b.firstAt || Number(a.isLate) - Number(b.isLate) || a.lastAt - b.lastAt;
}

/** Null: no transcript of a known client. @throws CompressedFileError */
export async function readSource(path: string): Promise<TranscriptSource | null> {
  if (isDatabase(path)) {
    const session = await findSession(path);
    return session && { path, ...session, bytes: session.changed, modifiedAt: session.changed };
  }
  const info = isTranscriptPath(path) ? await statOf(path) : null;
  if (info === null) return null;
  let found: Identified | null = null;
  for (const length of HEAD_BYTES) {
    found = identify(path, (await readHead(path, length))?.toString('utf8') ?? '') ?? found;
    // A first line may be huge, and not every version states the folder on its first lines.
    const isComplete = found?.identity.folder || found?.format.folderFileOf;
    if (isComplete || info.size <= length) break;
  }
  return (
    found && { path, ...withFolder(path, found), bytes: info.size, modifiedAt: Math.floor(info.mtimeMs) }
  );
}

/** If the transcript does not state its folder, read the folder and the project from the client's file with the folder. */
function withFolder(path: string, { format, identity }: Identified): Identified {
  const file = identity.folder === null ? format.folderFileOf?.(path) : undefined;
  const folder = file && readBytes(file, 0, FOLDER_BYTES)?.toString('utf8').trim();
  if (!folder || !isAbsolute(folder)) return { format, identity };
  return { format, identity: { ...identity, folder, project: projectOf(folder) ?? 'default' } };
}

/** The project of a source's session. The main file decides, because a sub-agent may work in another folder. */
export async function readMainProject(source: TranscriptSource): Promise<string> {
  const { chain, session, project } = source.identity;
  const { mainFileOf } = source.format;
  if (chain === null || mainFileOf === undefined) return project;
  const id = session.split(/[/:]/).at(-1) ?? '';
  let folder = dirname(source.path);
  for (let up = 0; up < MAX_DEPTH && folder !== dirname(folder); up += 1) {
    const main = await readSource(mainFileOf(join(folder, id))).catch(() => null);
    if (main?.identity.session === session && main.identity.folder !== null) return main.identity.project;
    folder = dirname(folder);
  }
  return project;
}

/** All transcripts of a path: a session's file and the files in its folder, or everything in another folder. */
export async function expandPath(path: string, options: SweepOptions = {}): Promise<string[]> {
  const info = await statOf(path);
  if (info === null) return [];
  if (isDatabase(path)) return [...(await sweepFolder(path, options)).keys()];
  const folder = info.isFile() ? join(dirname(path), basename(path, extname(path))) : path;
  const mains = mainFilesOf(folder);
  if (info.isFile() && !mains.includes(path)) return [path];
  const found = [...(await sweepFolder(folder, options)).keys()];
  for (const main of mains) if ((await statOf(main))?.isFile()) found.unshift(main);
  return found;
}

function statOf(path: string) {
  return stat(path).catch(() => null);
}

/** Time of the newest line of a transcript, milliseconds; null if the end of the file has no time. */
export function readLastTime(source: Pick<TranscriptSource, 'path' | 'format'>): number | null {
  return timesIn(readBytes(source.path, -TAIL_BYTES, TAIL_BYTES), source.format).at(-1) ?? null;
}

function timesIn(bytes: Buffer | null, format: TranscriptSource['format']): number[] {
  const text = bytes?.toString('utf8') ?? '';
  const stated = new RegExp(`"${format.timeField}":\\s?"([^"]{10,40})"`, 'g');
  const times = [...text.matchAll(stated)].map(([, time = '']) => Date.parse(time));
  return times.filter(Number.isFinite);
}

/** The first bytes of a transcript. Null if the file cannot be read. @throws CompressedFileError */
export async function readHead(path: string, length: number): Promise<Buffer | null> {
  return isCompressed(path) ? readCompressedHead(path, length) : readBytes(path, 0, length);
}

/** Up to `length` bytes of a file. A negative `from` counts from its end. Null if the file cannot be read. */
export function readBytes(path: string, from: number, length: number): Buffer | null {
  let file: number | null = null;
  try {
    file = openSync(path, 'r');
    const start = from < 0 ? Math.max(0, fstatSync(file).size + from) : from;
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(file, buffer, 0, length, start));
  } catch {
    return null;
  } finally {
    if (file !== null) closeSync(file);
  }
}
