/**
 * Copies one transcript into a new file, and says what it copied. It reads with its own handle from a file it has
 * looked at, so that a pipe or a device that took the file's place cannot hang it.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';

export interface CopiedFile {
  bytes: number;
  /** A last line without line feed counts. */
  lines: number;
  /** 64 hexadecimal digits. */
  sha256: string;
}

/** The path names something that is no file to copy. */
export class NotAFileError extends Error {}

const PRIVATE_FILE = 0o600;
const CHUNK_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * Opens a transcript for reading.
 * @throws NotAFileError for a folder, pipe, socket or device; what the file system throws.
 */
export async function openTranscript(path: string): Promise<FileHandle> {
  // Looked at first: to open some devices is to act on them.
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
 * Copies what the file holds now into a new file (0600 from its first byte) and brings it to the disk. What is
 * appended meanwhile is left out, so a writer that never rests cannot keep it busy.
 * @throws what the file system throws, `EEXIST` where `to` is there already; the new file may lie there in part.
 */
export async function copyTranscript(from: FileHandle, to: string): Promise<CopiedFile> {
  const target = await open(to, 'wx', PRIVATE_FILE);
  try {
    // A umask can take bits away, never add them.
    await target.chmod(PRIVATE_FILE);
    const copied = await copyBytes(from, (await from.stat()).size, target);
    await target.sync();
    return copied;
  } finally {
    await target.close();
  }
}

/** Reads a file through, as `copyTranscript` does. @throws as `openTranscript`. */
export async function measureFile(path: string): Promise<CopiedFile> {
  const file = await openTranscript(path);
  try {
    return await copyBytes(file, (await file.stat()).size, null);
  } finally {
    await file.close();
  }
}

/** Each chunk is hashed while the system writes it. */
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
    // It is awaited a round later; until then its failure is nobody's yet.
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
