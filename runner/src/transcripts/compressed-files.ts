/**
 * Reads files of lines that Codex compressed with Zstandard after some days. Such a file has the bytes of the plain file,
 * so offsets, fingerprints and saved positions are those of the plain file. It is decompressed in a stream, because its
 * content may be larger than the memory. Node has Zstandard only since 22.15, so the package fzstd decompresses.
 */
import { open } from 'node:fs/promises';
import { messageOf } from '../guard';

/** In a variable, so that the bundle of a program that archives transcripts does not need the package. */
const PACKAGE = 'fzstd';
const SUFFIX = /\.zst$/i;
const CHUNK_BYTES = 16 * 1024;
/** Maximum content of one chunk. A few bytes of a damaged file could state any amount. */
const MAX_CHUNK_CONTENT = 64 * 1024 * 1024;
/** The decompressor allocates the window that a frame states. This is the maximum of the program zstd, too. */
const MAX_WINDOW_BYTES = 128 * 1024 * 1024;
const MAGIC = 0xfd2fb528;

/** The content cannot be read before the file changes. */
export class CompressedFileError extends Error {}

export function isCompressed(path: string): boolean {
  return SUFFIX.test(path);
}

/** The path of the file before its compression. Both forms are one transcript. */
export function plainPathOf(path: string): string {
  return path.replace(SUFFIX, '');
}

/** The content in parts. @throws CompressedFileError; what the file system throws */
export async function* readCompressed(path: string): AsyncGenerator<Buffer> {
  const { Decompress } = (await import(PACKAGE)) as typeof import('fzstd');
  let parts: Buffer[] = [];
  let bytes = 0;
  const stream = new Decompress((part) => {
    bytes += part.length;
    if (bytes > MAX_CHUNK_CONTENT) throw new Error('its content is too large');
    parts.push(Buffer.from(part.buffer, part.byteOffset, part.length));
  });
  const file = await open(path, 'r');
  try {
    for (let isEnd = false, isStart = true; !isEnd; isStart = false) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES);
      isEnd = bytesRead === 0;
      const chunk = buffer.subarray(0, bytesRead);
      try {
        if (isStart) checkFrame(chunk);
        stream.push(chunk, isEnd);
      } catch (error) {
        throw new CompressedFileError(`it cannot be decompressed: ${messageOf(error)}`);
      }
      if (bytes > 0) yield Buffer.concat(parts);
      [parts, bytes] = [[], 0];
    }
  } finally {
    await file.close();
  }
}

/** The first bytes of the content. @throws as `readCompressed` */
export async function readCompressedHead(path: string, length: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of readCompressed(path)) {
    parts.push(part);
    bytes += part.length;
    if (bytes >= length) break;
  }
  return Buffer.concat(parts).subarray(0, length);
}

/** https://www.rfc-editor.org/rfc/rfc8878#name-window-descriptor @throws Error */
function checkFrame(head: Buffer): void {
  if (head.length < 6 || head.readUInt32LE(0) !== MAGIC) throw new Error('it has no Zstandard frame');
  const descriptor = head.readUInt8(4);
  // The window of a single segment is its content, so the maximum content applies.
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const [exponent, mantissa] = [head.readUInt8(5) >> 3, head.readUInt8(5) & 7];
  const base = 2 ** (10 + exponent);
  const windowBytes = isSingleSegment ? contentBytes(head, descriptor) : base + (base / 8) * mantissa;
  if (windowBytes > MAX_WINDOW_BYTES) throw new Error('its window is too large');
}

/** The content's size as a frame of a single segment states it. */
function contentBytes(head: Buffer, descriptor: number): number {
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const sizeBytes = 2 ** (descriptor >> 6);
  const at = 5 + dictionaryBytes;
  if (head.length < at + sizeBytes) throw new Error('it ends too early');
  return sizeBytes === 8 ? Number(head.readBigUInt64LE(at)) : head.readUIntLE(at, sizeBytes);
}
