/**
 * The index of archives, `<config folder>/runs/index.jsonl`: one JSON object per line, append-only. It is also the
 * queue of uploads.
 *
 * A later line with the same id replaces the fields that it contains. Each line is written by a single append, so lines
 * of different processes do not mix. A line cut off by a full disk or a power loss does not damage other lines. Damaged
 * lines stay where they are, and `recoverIndex` appends the archives that they named.
 */
import { constants } from 'node:fs';
import { chmod, mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Fields, parseFields } from '../../../core/agents/fields';
import { messageOf } from '../guard';
import { readConfigFolder } from '../settings';
import { runsFolder } from './archive-names';
import type { ArchiveEntry, ArchiveNote, UploadState } from './archive-types';

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

/** Record that the damage up to here was reported. @throws what the file system throws. */
export function noteReported(configFolder: string): Promise<void> {
  return appendLine(configFolder, { reportedAt: new Date().toISOString() });
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
  /** Number of damaged lines and lines of a later format that `barograph archives verify` has not reported yet. */
  unreadable: number;
  /** Number of archives that were found on disk without a line, and not reported yet. */
  recovered: number;
}

/** The index is a folder, or cannot be read. The message is a sentence with the path and the remedy. */
export class ArchiveIndexError extends Error {}

/**
 * Read the whole index. A missing file is an empty index.
 * @param configFolder default: the config folder of the hook.
 * @throws ArchiveIndexError for an unreadable index.
 */
export async function readArchiveIndex(configFolder: string = readConfigFolder()): Promise<ArchiveIndex> {
  const entries = new Map<string, ArchiveEntry>();
  const recovered = new Set<string>();
  let unreadable = 0;
  for (const line of (await readIndex(indexFile(configFolder))).split('\n')) {
    if (line.trim() === '') continue;
    const fields = parseFields(line) ?? {};
    if (fields.v === FORMAT && typeof fields.reportedAt === 'string') {
      unreadable = 0;
      recovered.clear();
    } else if (!addLine(entries, recovered, fields)) unreadable += 1;
  }
  return { entries: [...entries.values()], unreadable, recovered: recovered.size };
}

async function readIndex(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    const remedy = 'make it readable or move it away, and the archives on disk are found again';
    throw new ArchiveIndexError(
      `The index of archives ${path} cannot be read (${messageOf(error)}): ${remedy}.`,
    );
  }
}

const TEXTS = ['id', 'at', 'clientSessionId', 'trigger', 'repo', 'state'] as const;

/** Apply a line of the index to the entries. @returns false for a damaged line. */
function addLine(entries: Map<string, ArchiveEntry>, recovered: Set<string>, line: Fields): boolean {
  const { v, ...fields } = line;
  const id = String(fields.id);
  const known = entries.get(id);
  const entry = { ...known, ...fields } as ArchiveEntry;
  if (v !== FORMAT || !TEXTS.every((name) => typeof entry[name] === 'string')) return false;
  const isRecovered = fields.recoveredAt !== undefined;
  // A hook or another process may have added the archive meanwhile.
  if (isRecovered && known !== undefined) return true;
  if (isRecovered) recovered.add(id);
  else if (fields.state !== undefined && recovered.delete(id)) delete entry.recoveredAt;
  entries.set(id, entry);
  return true;
}
