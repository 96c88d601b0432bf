/**
 * The index of archives, `<config folder>/runs/index.jsonl`: one JSON object per line, append-only. It is also the
 * queue of uploads.
 *
 * A later line with the same id replaces the fields that it contains. Each line is written by a single append, so lines
 * of different processes do not mix. A line cut off by a full disk or a power loss does not damage other lines.
 */
import { constants } from 'node:fs';
import { chmod, mkdir, open, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseFields } from '../../../core/agents/fields';
import { readConfigFolder } from '../settings';
import { absolutePath, runsFolder } from './archive-names';
import type { ArchiveEntry, ArchiveNote, ArchiveState, UploadState } from './archive-types';

const FORMAT = 1;
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const LINE_FEED = 0x0a;

/** Absolute path of the index. */
export function indexFile(configFolder: string): string {
  return join(runsFolder(configFolder), 'index.jsonl');
}

/**
 * Create `<config folder>/runs` and the folders below it with mode 0700, because transcripts hold secrets. Existing
 * parents keep their mode.
 * @param below names of the folders inside `runs`, outermost first.
 * @returns the innermost folder. @throws what the file system throws.
 */
export async function makePrivateFolders(configFolder: string, below: readonly string[]): Promise<string> {
  let folder = runsFolder(configFolder);
  for (const name of ['', ...below]) {
    folder = join(folder, name);
    await makeFolder(folder);
    await chmod(folder, PRIVATE_FOLDER);
  }
  return folder;
}

/** One folder at a time: the umask may remove even the owner's rights to a new folder. */
async function makeFolder(folder: string, hasParent = false): Promise<void> {
  try {
    await mkdir(folder, { mode: PRIVATE_FOLDER });
    await chmod(folder, PRIVATE_FOLDER);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || hasParent) throw error;
    await makeFolder(dirname(folder));
    await makeFolder(folder, true);
  }
}

/** Add an archive. @throws what the file system throws; a partial line may remain. */
export function appendEntry(configFolder: string, entry: ArchiveEntry): Promise<void> {
  return appendLine(configFolder, entry);
}

/** Record an archive's upload state and reason. @throws what the file system throws. */
export async function noteUpload(
  configFolder: string,
  id: string,
  upload: UploadState,
  note: ArchiveNote = {},
): Promise<void> {
  await appendLine(configFolder, { id, upload, ...note });
}

/** Record other fields of an archive. @throws what the file system throws. */
export function noteArchive(configFolder: string, id: string, note: ArchiveNote): Promise<void> {
  return appendLine(configFolder, { id, ...note });
}

async function appendLine(configFolder: string, fields: object): Promise<void> {
  await makePrivateFolders(configFolder, []);
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);
  const file = await open(indexFile(configFolder), flags, PRIVATE_FILE);
  try {
    await file.chmod(PRIVATE_FILE);
    const { size } = await file.stat();
    const last = Buffer.alloc(1, '\n');
    if (size > 0) await file.read(last, 0, 1, size - 1);
    // An incomplete last line must not damage the new line.
    const gap = last[0] === LINE_FEED ? '' : '\n';
    const bytes = Buffer.from(`${gap}${JSON.stringify({ v: FORMAT, ...fields })}\n`);
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten !== bytes.length) throw new Error('ENOSPC: the index got only a part of the line');
  } finally {
    await file.close();
  }
}

/** The content of the index. */
export interface ArchiveIndex {
  /** One entry per archive with its latest fields, oldest first. */
  entries: ArchiveEntry[];
  /** Number of damaged lines and lines of a later format. */
  unreadable: number;
}

/**
 * Read the whole index. A missing file is an empty index.
 * @param configFolder default: the config folder of the hook.
 * @throws what the file system throws for an unreadable index.
 */
export async function readArchiveIndex(configFolder: string = readConfigFolder()): Promise<ArchiveIndex> {
  const entries = new Map<string, ArchiveEntry>();
  let unreadable = 0;
  const text = await readFile(indexFile(configFolder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  for (const line of text.split('\n')) {
    if (line.trim() !== '' && !addLine(entries, line)) unreadable += 1;
  }
  return { entries: [...entries.values()], unreadable };
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
 * List the archives of the index, newest first.
 * @param configFolder default: the config folder of the hook.
 * @param filter which archives to list. Default: all.
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
  const list = wanted.reverse().map(async (entry): Promise<ListedArchive> => {
    const info = await stat(entry.archive ?? '').catch(() => null);
    return { ...entry, isThere: info?.isFile() === true };
  });
  return Promise.all(list);
}

const TEXTS = ['id', 'at', 'clientSessionId', 'trigger', 'repo', 'state'] as const;

/** Apply a line of the index to the entries. @returns false for a damaged line. */
function addLine(entries: Map<string, ArchiveEntry>, text: string): boolean {
  const { v, ...fields } = parseFields(text) ?? {};
  const id = String(fields.id);
  const entry = { ...entries.get(id), ...fields } as ArchiveEntry;
  const isEntry = v === FORMAT && TEXTS.every((name) => typeof entry[name] === 'string');
  if (isEntry) entries.set(id, entry);
  return isEntry;
}
