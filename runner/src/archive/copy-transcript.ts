/** Copies and measures transcripts. Only regular files are read: a pipe or a device could block forever. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { ArchiveEntry } from './archive-types';

export interface CopiedFile {
  bytes: number;
  /** Includes a last line without a line feed. */
  lines: number;
  /** 64 hexadecimal digits. */
  sha256: string;
}

/** The path is not a regular file. */
export class NotAFileError extends Error {}

const PRIVATE_FILE = 0o600;
const CHUNK_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * Open a transcript for reading.
 * @throws NotAFileError for a folder, pipe, socket or device; what the file system throws.
 */
export async function openTranscript(path: string): Promise<FileHandle> {
  // Checked before opening: opening some devices has effects.
  refuseOthers(await stat(path));
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    refuseOthers(await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Copy the file's current content into a new file of mode 0600 and sync it. Bytes appended meanwhile are left out, so
 * a busy writer cannot keep the copy going.
 * @throws what the file system throws, `EEXIST` if `to` exists; a partial file may remain.
 */
export async function copyTranscript(from: FileHandle, to: string): Promise<CopiedFile> {
  const target = await open(to, 'wx', PRIVATE_FILE);
  try {
    // The umask may have removed bits.
    await target.chmod(PRIVATE_FILE);
    const copied = await copyBytes(from, (await from.stat()).size, target);
    await target.sync();
    return copied;
  } finally {
    await target.close();
  }
}

/** Measure a file without copying it. @throws as `openTranscript`. */
export async function measureFile(path: string): Promise<CopiedFile> {
  const file = await openTranscript(path);
  try {
    return await copyBytes(file, (await file.stat()).size, null);
  } finally {
    await file.close();
  }
}

/** Hashes each chunk while the system writes it. */
async function copyBytes(from: FileHandle, size: number, to: FileHandle | null): Promise<CopiedFile> {
  const hash = createHash('sha256');
  const chunkBytes = Math.max(1, Math.min(CHUNK_BYTES, size));
  const buffers = [Buffer.allocUnsafe(chunkBytes), Buffer.allocUnsafe(chunkBytes)] as const;
  let bytes = 0;
  let lines = 0;
  let last = LINE_FEED;
  let writing: Promise<void> = Promise.resolve();
  for (let turn = 0; bytes < size; turn += 1) {
    const buffer = turn % 2 === 0 ? buffers[0] : buffers[1];
    const { bytesRead } = await from.read(buffer, 0, Math.min(chunkBytes, size - bytes), bytes);
    await writing;
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    writing = to === null ? Promise.resolve() : writeAll(to, chunk, bytes);
    // Awaited in the next round; without this a failure would be an unhandled rejection.
    writing.catch(() => undefined);
    hash.update(chunk);
    lines += countLineFeeds(chunk);
    last = chunk.at(-1) ?? last;
    bytes += bytesRead;
  }
  await writing;
  return { bytes, lines: last === LINE_FEED ? lines : lines + 1, sha256: hash.digest('hex') };
}

async function writeAll(to: FileHandle, chunk: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < chunk.length) {
    const { bytesWritten } = await to.write(chunk, written, chunk.length - written, position + written);
    written += bytesWritten;
  }
}

function countLineFeeds(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}

function refuseOthers(info: Awaited<ReturnType<typeof stat>>): void {
  if (info.isFile()) return;
  if (info.isDirectory()) throw new NotAFileError('EISDIR: it is a folder, not a file');
  throw new NotAFileError('it is a pipe, a socket or a device, not a file');
}

/** `intact`: the copy matches the index. `changed`: other bytes. `missing`: no file. `unreadable`: cannot be read. */
export type ArchiveCheck = 'intact' | 'changed' | 'missing' | 'unreadable';

/** Compare a stored archive with its index entry by size and hash. Never throws. */
export async function verifyArchive(
  entry: Pick<ArchiveEntry, 'archive' | 'bytes' | 'sha256'>,
): Promise<ArchiveCheck> {
  if (entry.archive === null) return 'missing';
  try {
    const { bytes, sha256 } = await measureFile(entry.archive);
    return bytes === entry.bytes && sha256 === entry.sha256 ? 'intact' : 'changed';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : 'unreadable';
  }
}
