import type { FileHandle } from 'node:fs/promises';
import { CHUNK_BYTES } from '../../../core/transcript/limits';

/**
 * The first `bytes` bytes of an open file, in order, in parts of at most `CHUNK_BYTES`. A file that ends sooner ends
 * them. Each part is a buffer of its own, which the reader may keep.
 * @throws what the file system throws, and the signal's reason once it is aborted.
 */
export async function* readParts(
  file: FileHandle,
  bytes: number,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; ) {
    signal?.throwIfAborted();
    const wanted = Math.min(CHUNK_BYTES, bytes - at);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(wanted), 0, wanted, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** The `index`-th chunk of the first `bytes` bytes; shorter where the file ends sooner. @throws what the file system throws. */
export async function readChunk(file: FileHandle, index: number, bytes: number): Promise<Buffer> {
  const from = index * CHUNK_BYTES;
  const wanted = Math.max(0, Math.min(CHUNK_BYTES, bytes - from));
  const chunk = Buffer.allocUnsafe(wanted);
  let read = 0;
  while (read < wanted) {
    const { bytesRead } = await file.read(chunk, read, wanted - read, from + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return chunk.subarray(0, read);
}
