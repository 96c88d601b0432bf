/** Limits of reading a chunk's body before it is verified. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { CHUNK_BYTES } from '../../core/api/transcripts';
import { readChunk } from './read-chunk';

const MIB = 1024 * 1024;

/** A request with this body, counting the bytes read. */
function requestOf(
  body: readonly Buffer[],
  headers: Record<string, string> = { 'content-encoding': 'gzip' },
) {
  const counted = { read: 0 };
  function* parts() {
    for (const part of body) {
      counted.read += part.length;
      yield part;
    }
  }
  const stream = Readable.from(parts(), { highWaterMark: 1, objectMode: true });
  return { request: Object.assign(stream, { headers }) as unknown as IncomingMessage, counted };
}

/**
 * Half a megabyte that expands to half a gigabyte, because gzip allows several members in a row. Its end is broken: who
 * unpacks all of it finds another error than who stops at the offered size.
 */
function makeBomb(): Buffer {
  const member = gzipSync(Buffer.alloc(16 * MIB));
  const broken = Buffer.from(member).fill(0xff, member.length - 8);
  return Buffer.concat([...Array.from({ length: 31 }, () => member), broken]);
}

it('refuses a gzip bomb at the offered size', async () => {
  const bomb = makeBomb();
  // The body must stay within the limit of compressed bytes.
  expect(bomb.length).toBeLessThan(CHUNK_BYTES);
  const { request } = requestOf([bomb]);
  const read = readChunk(request, CHUNK_BYTES);
  await expect(read).rejects.toMatchObject({ status: 422, code: 'wrong_length' });
});

it('does not read a longer body than offered to its end', async () => {
  const parts = Array.from({ length: 64 }, () => randomBytes(MIB));
  for (const headers of [{}, { 'content-encoding': 'gzip' }]) {
    const { request, counted } = requestOf(parts, headers);
    await expect(readChunk(request, CHUNK_BYTES)).rejects.toMatchObject({ code: 'wrong_length' });
    expect(counted.read).toBeLessThan(8 * MIB);
  }
});

it('does not read a body with a Content-Length beyond the offer', async () => {
  const { request, counted } = requestOf([randomBytes(10)], { 'content-length': String(CHUNK_BYTES + 1) });
  await expect(readChunk(request, CHUNK_BYTES)).rejects.toMatchObject({ code: 'wrong_length' });
  expect(counted.read).toBe(0);
});

it('reads a whole chunk, compressed or not', async () => {
  const bytes = randomBytes(CHUNK_BYTES);
  for (const [body, headers] of [
    [bytes, {}],
    [gzipSync(bytes), { 'content-encoding': 'gzip' }],
  ] as const) {
    const read = await readChunk(requestOf([body], headers).request, CHUNK_BYTES);
    expect(bytes.equals(read as Buffer)).toBe(true);
  }
});
