/**
 * The index of archives, `<config folder>/runs/index.jsonl`: one JSON object per line, append-only. It is also the
 * queue of uploads.
 *
 * A later line with the same id changes the fields it names. Each line is a single append, so processes do not mix
 * their lines, and a line cut off by a full disk or a power loss damages no other.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfigFolder } from '../settings';
import { absolutePath, runsFolder } from './archive-names';
import type { ArchiveEntry, ArchiveNote, ArchiveState, UploadState } from './archive-types';
import { makePrivateFolders } from './private-folders';

const FORMAT = 1;
const PRIVATE_FILE = 0o600;
const LINE_FEED = 0x0a;

/** Path of the index below a config folder. Absolute. */
export function indexFile(configFolder: string): string {
  return join(runsFolder(configFolder), 'index.jsonl');
}

/** Add an archive. @throws what the file system throws; the line may be written in part. */
export async function appendEntry(configFolder: string, entry: ArchiveEntry): Promise<void> {
  await appendLine(configFolder, { v: FORMAT, ...entry });
}

/** Record an archive's upload state and reason. @throws what the file system throws. */
export async function noteUpload(
  configFolder: string,
  id: string,
  upload: UploadState,
  note: ArchiveNote = {},
): Promise<void> {
  await appendLine(configFolder, { v: FORMAT, id, upload, ...note });
}

/** Record other fields of an archive. @throws what the file system throws. */
export async function noteArchive(configFolder: string, id: string, note: ArchiveNote): Promise<void> {
  await appendLine(configFolder, { v: FORMAT, id, ...note });
}

async function appendLine(configFolder: string, line: object): Promise<void> {
  await makePrivateFolders(configFolder, []);
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);
  const file = await open(indexFile(configFolder), flags, PRIVATE_FILE);
  try {
    await file.chmod(PRIVATE_FILE);
    // An incomplete last line must not damage this one.
    const gap = (await endsWhole(file)) ? '' : '\n';
    const bytes = Buffer.from(`${gap}${JSON.stringify(line)}\n`);
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten !== bytes.length) throw new Error('ENOSPC: the index took a part of a line only');
  } finally {
    await file.close();
  }
}

async function endsWhole(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  return last[0] === LINE_FEED;
}

/** The content of the index. */
export interface ArchiveIndex {
  /** Each archive once, with its latest fields, oldest first. */
  entries: ArchiveEntry[];
  /** Number of damaged lines and lines of a later format. */
  unreadable: number;
}

/**
 * Read the whole index. A missing file is an empty index.
 * @param configFolder default: the hook's.
 * @throws what the file system throws for an unreadable index.
 */
export async function readArchiveIndex(configFolder: string = readConfigFolder()): Promise<ArchiveIndex> {
  const entries = new Map<string, ArchiveEntry>();
  let unreadable = 0;
  for (const text of (await readText(indexFile(configFolder))).split('\n')) {
    if (text.trim() === '') continue;
    const line = parseLine(text);
    const known = line === null ? undefined : entries.get(line.id);
    const entry = line === null ? null : toEntry({ ...known, ...line });
    if (entry === null) unreadable += 1;
    else entries.set(entry.id, entry);
  }
  return { entries: [...entries.values()], unreadable };
}

/** An archive with the state of its copy. */
export interface ListedArchive extends ArchiveEntry {
  /** Whether the copy exists: people may delete archives. */
  isThere: boolean;
}

/** Which archives to list; default: all. */
export interface ArchiveFilter {
  /** The repository's folder. */
  repoPath?: string;
  /** Session key, or the client's own id. */
  session?: string;
  state?: ArchiveState;
  upload?: UploadState;
}

/**
 * List the archives of the index, newest first.
 * @param configFolder default: the hook's.
 * @throws as `readArchiveIndex`.
 */
export async function listArchives(
  configFolder: string = readConfigFolder(),
  filter: ArchiveFilter = {},
): Promise<ListedArchive[]> {
  const repo = filter.repoPath === undefined ? undefined : absolutePath(filter.repoPath);
  const { entries } = await readArchiveIndex(configFolder);
  const wanted = entries.filter(
    (entry) =>
      (repo === undefined || entry.repo === repo) &&
      (filter.session === undefined || [entry.session, entry.clientSessionId].includes(filter.session)) &&
      (filter.state === undefined || entry.state === filter.state) &&
      (filter.upload === undefined || entry.upload === filter.upload),
  );
  const listed: ListedArchive[] = [];
  for (const entry of wanted.reverse()) listed.push({ ...entry, isThere: await isFile(entry.archive) });
  return listed;
}

async function isFile(path: string | null): Promise<boolean> {
  if (path === null) return false;
  const info = await stat(path).catch(() => null);
  return info?.isFile() === true;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

type Line = Partial<ArchiveEntry> & { id: string };

function parseLine(text: string): Line | null {
  try {
    const line = JSON.parse(text) as { v?: unknown; id?: unknown } | null;
    if (line?.v !== FORMAT || typeof line.id !== 'string') return null;
    const { v: _, ...fields } = line;
    return fields as Line;
  } catch {
    return null;
  }
}

const TEXTS = ['at', 'clientSessionId', 'trigger', 'repo'] as const;

/** Null: the line changes an entry that does not exist. */
function toEntry(line: Line): ArchiveEntry | null {
  const isWhole = TEXTS.every((name) => typeof line[name] === 'string') && typeof line.state === 'string';
  return isWhole ? (line as ArchiveEntry) : null;
}
