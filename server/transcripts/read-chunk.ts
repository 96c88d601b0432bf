import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { ChunkRefusal } from './refusals';

const unpack = promisify(gunzip);

/** What gzip may add to incompressible bytes. */
const GZIP_OVERHEAD = 4_096;

export type ReadChunk =
  | { type: 'read'; bytes: Buffer }
  | { type: 'refused'; refusal: ChunkRefusal }
  /** The peer disconnected. */
  | { type: 'broken' };

/** Read the body of a chunk, never more bytes than offered, packed or unpacked. */
export async function readChunk(request: IncomingMessage, expected: number): Promise<ReadChunk> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip') {
    const reason = 'a chunk is sent plain or with "Content-Encoding: gzip"';
    return refuse(415, 'unsupported_encoding', 'content-encoding', reason);
  }
  const most = encoding === 'gzip' ? expected + GZIP_OVERHEAD : expected;
  const tooLong = () =>
    refuse(422, 'wrong_length', 'body', `the chunk is longer than the ${expected} bytes offered`);
  if (Number(request.headers['content-length'] ?? 0) > most) return tooLong();
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > most) return tooLong();
      parts.push(part);
    }
  } catch {
    return { type: 'broken' };
  }
  const body = Buffer.concat(parts);
  if (encoding === 'identity') return { type: 'read', bytes: body };
  try {
    return { type: 'read', bytes: await unpack(body, { maxOutputLength: expected + 1 }) };
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') return tooLong();
    return refuse(422, 'bad_gzip', 'body', 'the body is not gzip, or incomplete');
  }
}

function refuse(status: ChunkRefusal['status'], code: string, field: string, reason: string): ReadChunk {
  return { type: 'refused', refusal: { status, code, field, reason } };
}
