import { createHash } from 'node:crypto';
import { brotliCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { CHUNK_BYTES } from '../../core/api/transcripts';
import { openChunk, packChunk } from './pack-chunk';

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Transcript-like lines, the same in each run. */
function lines(count: number): Buffer {
  const text = Array.from(
    { length: count },
    (_, n) => `{"type":"user","uuid":"${hashOf(Buffer.from(String(n)))}","text":"word ${n % 7}"}\n`,
  );
  return Buffer.from(text.join(''));
}

it('never returns other bytes for a chunk with a damaged byte, whatever the decoder reports', async () => {
  const bytes = lines(40);
  const sha256 = hashOf(bytes);
  const packed = await packChunk(bytes);
  let opened = 0;
  for (let at = 0; at < packed.data.length; at += 1) {
    for (const change of [1, 0x80]) {
      const data = Buffer.from(packed.data);
      data[at] = (data[at] ?? 0) ^ change;
      const found = await openChunk({ ...packed, sha256, data });
      if (found === null) continue;
      expect(found.equals(bytes)).toBe(true);
      opened += 1;
    }
  }
  expect(opened).toBeLessThan(packed.data.length / 10);
});

it('refuses a truncated chunk, and a chunk that unpacks to too many bytes', async () => {
  const bytes = lines(40);
  const packed = await packChunk(bytes);
  expect(await openChunk({ ...packed, sha256: hashOf(bytes) })).toEqual(bytes);
  const data = packed.data.subarray(0, packed.data.length - 1);
  expect(await openChunk({ ...packed, sha256: hashOf(bytes), data })).toBeNull();
  const bomb = Buffer.alloc(CHUNK_BYTES + 1);
  const opened = await openChunk({ sha256: hashOf(bomb), encoding: 1, data: brotliCompressSync(bomb) });
  expect(opened).toBeNull();
});
