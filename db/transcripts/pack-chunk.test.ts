import { createHash } from 'node:crypto';
import { brotliCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { CHUNK_BYTES } from '../../core/api/transcripts';
import { packChunk, provesSpoilt, SpoiltBytesError, unpackChunk } from './pack-chunk';

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Transcript-like lines, the same in each run. */
function lines(count: number): Buffer {
  const text = Array.from(
    { length: count },
    (_, n) => `{"type":"user","uuid":"${hashOf(Buffer.from(String(n)))}","text":"word ${n % 7}"}\n`,
  );
  return Buffer.from(text.join(''));
}

it('unpacks a chunk with any damaged byte to bytes or to SpoiltBytesError', async () => {
  const bytes = lines(40);
  const packed = await packChunk(bytes);
  const seen = { same: 0, other: 0, spoilt: 0 };
  for (let at = 0; at < packed.data.length; at += 1) {
    for (const change of [1, 0x80]) {
      const data = Buffer.from(packed.data);
      data[at] = (data[at] ?? 0) ^ change;
      const found = await unpackChunk({ encoding: packed.encoding, data }).catch((error: unknown) => error);
      if (found instanceof Buffer) seen[found.equals(bytes) ? 'same' : 'other'] += 1;
      else {
        expect(found).toBeInstanceOf(SpoiltBytesError);
        seen.spoilt += 1;
      }
    }
  }
  expect(seen.other).toBeGreaterThan(100);
  expect(seen.spoilt).toBeGreaterThan(100);
  expect(seen.same + seen.other + seen.spoilt).toBe(2 * packed.data.length);
}, 60_000);

it('rejects a truncated chunk and one that unpacks to too many bytes', async () => {
  const packed = await packChunk(lines(40));
  const cut = { ...packed, data: packed.data.subarray(0, packed.data.length - 1) };
  await expect(unpackChunk(cut)).rejects.toBeInstanceOf(SpoiltBytesError);
  const bomb = { encoding: 1, data: brotliCompressSync(Buffer.alloc(CHUNK_BYTES + 1)) };
  await expect(unpackChunk(bomb)).rejects.toBeInstanceOf(SpoiltBytesError);
});

it.each([
  [
    'a decoder without memory',
    Object.assign(new Error('x'), { errno: -25, code: 'ERR__ERROR_ALLOC_CONTEXT_MAP' }),
  ],
  [
    'a decoder that could not start',
    Object.assign(new Error('x'), { code: 'ERR_ZLIB_INITIALIZATION_FAILED' }),
  ],
  ['a failed allocation', new RangeError('Array buffer allocation failed')],
  ['an abort', new DOMException('stopped', 'AbortError')],
  ['a lost connection', Object.assign(new Error('x'), { code: 'CONNECTION_CLOSED' })],
])('does not take %s for damage', (_, error) => {
  expect(provesSpoilt(error)).toBe(false);
});
