import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { IntakeRefusal } from '../../db/transcripts/intake-limits';

const unpack = promisify(gunzip);

/** Maximum overhead of gzip on incompressible bytes. */
const GZIP_OVERHEAD = 4_096;

/**
 * Read the body of a chunk, but never more bytes than offered, compressed or not.
 * @returns `gone`: the peer disconnected. @throws IntakeRefusal
 */
export async function readChunk(request: IncomingMessage, expected: number): Promise<Buffer | 'gone'> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip') {
    const reason = 'a chunk is sent plain or with "Content-Encoding: gzip"';
    throw new IntakeRefusal(415, 'unsupported_encoding', 'content-encoding', reason);
  }
  const most = encoding === 'gzip' ? expected + GZIP_OVERHEAD : expected;
  const reason = `the chunk is longer than the ${expected} bytes offered`;
  const tooLong = new IntakeRefusal(422, 'wrong_length', 'body', reason);
  if (Number(request.headers['content-length'] ?? 0) > most) throw tooLong;
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > most) break;
      parts.push(part);
    }
  } catch {
    return 'gone';
  }
  if (length > most) {
    // Discarded, so that the sender gets the answer instead of EPIPE.
    request.resume();
    throw tooLong;
  }
  const body = Buffer.concat(parts);
  if (encoding === 'identity') return body;
  try {
    return await unpack(body, { maxOutputLength: expected + 1 });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw tooLong;
    throw new IntakeRefusal(422, 'bad_gzip', 'body', 'the body is not gzip, or incomplete');
  }
}
