/** Reads, measures and copies transcripts. Only regular files are read: a pipe or a device could block forever. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { CHUNK_BYTES } from '../../../core/transcript/limits';

export class NotAFileError extends Error {}

const PRIVATE_FILE = 0o600;
const LINE_FEED = 0x0a;

/** @throws NotAFileError for a folder, pipe, socket or device; what the file system throws. */
export async function openTranscript(path: string): Promise<FileHandle> {
  // Check before opening, because opening some devices has side effects.
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

function refuseOthers(info: Awaited<ReturnType<typeof stat>>): void {
  if (info.isFile()) return;
  if (info.isDirectory()) throw new NotAFileError('EISDIR: it is a folder, not a file');
  throw new NotAFileError('it is a pipe, a socket or a device, not a file');
}

/** The bytes `[from, to)` in parts of at most `CHUNK_BYTES`. @throws what the file system throws; the signal's reason. */
export async function* readParts(
  file: FileHandle,
  from: number,
  to: number,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    signal?.throwIfAborted();
    const wanted = Math.min(CHUNK_BYTES, to - at);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

export async function readRange(...range: Parameters<typeof readParts>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of readParts(...range)) parts.push(part);
  return Buffer.concat(parts);
}

export interface Digest {
  bytes: number;
  /** Includes a last line without a line feed. */
  lines: number;
  /** Hash of the whole: 64 hexadecimal digits. */
  sha256: string;
  /** Hashes of the chunks in order; all chunks but the last have `CHUNK_BYTES`. Empty for an empty file. */
  chunks: string[];
}

/** The digest can be read after any byte, so one pass over a transcript hashes all its completed versions. */
export class FileDigest {
  #bytes = 0;
  #lineFeeds = 0;
  #last = LINE_FEED;
  readonly #whole = createHash('sha256');
  #chunk = createHash('sha256');
  readonly #chunks: string[] = [];

  /** @param hashesChunks false: `chunks` stays empty, which takes half the time. */
  constructor(readonly hashesChunks = true) {}

  add(part: Buffer): void {
    this.#whole.update(part);
    for (let from = 0; from < part.length; ) {
      const piece = part.subarray(from, from + CHUNK_BYTES - (this.#bytes % CHUNK_BYTES));
      this.#bytes += piece.length;
      from += piece.length;
      if (!this.hashesChunks) continue;
      this.#chunk.update(piece);
      if (this.#bytes % CHUNK_BYTES !== 0) continue;
      this.#chunks.push(this.#chunk.digest('hex'));
      this.#chunk = createHash('sha256');
    }
    for (let at = part.indexOf(LINE_FEED); at !== -1; at = part.indexOf(LINE_FEED, at + 1)) {
      this.#lineFeeds += 1;
    }
    this.#last = part.at(-1) ?? this.#last;
  }

  digest(): Digest {
    const isChunkOpen = this.hashesChunks && this.#bytes % CHUNK_BYTES !== 0;
    return {
      bytes: this.#bytes,
      lines: this.#last === LINE_FEED ? this.#lineFeeds : this.#lineFeeds + 1,
      sha256: this.#whole.copy().digest('hex'),
      chunks: isChunkOpen ? [...this.#chunks, this.#chunk.copy().digest('hex')] : [...this.#chunks],
    };
  }
}

/** Digest of the first bytes of a file; default: all. @throws as `openTranscript` and `readParts`. */
export async function digestFile(
  path: string,
  bytes = Number.MAX_SAFE_INTEGER,
  signal?: AbortSignal,
): Promise<Digest> {
  const file = await openTranscript(path);
  try {
    const digest = new FileDigest();
    for await (const part of readParts(file, 0, bytes, signal)) digest.add(part);
    return digest.digest();
  } finally {
    await file.close();
  }
}

/**
 * Copy the file's current content into a new private file and sync it. Bytes appended during the copy are left out.
 * @param end number of bytes to copy; default: all
 * @throws what the file system throws; a partial file may remain.
 */
export async function copyTranscript(from: FileHandle, to: string, end?: number): Promise<Digest> {
  const target = await open(to, 'wx', PRIVATE_FILE);
  try {
    await target.chmod(PRIVATE_FILE);
    const digest = new FileDigest(false);
    for await (const part of readParts(from, 0, end ?? (await from.stat()).size)) {
      // Hash the part while the system writes it.
      const writing = target.appendFile(part);
      digest.add(part);
      await writing;
    }
    await target.sync();
    return digest.digest();
  } finally {
    await target.close();
  }
}
