import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { fc } from '../../../core/testing/property-runs';
import { prepareArchiveBench } from './testing/archive-bench';
import { copyTranscript, digestFile, NotAFileError, openTranscript } from './transcript-file';

const used = prepareArchiveBench();

async function copy(from: string, to: string) {
  const file = await openTranscript(from);
  try {
    return await copyTranscript(file, to);
  } finally {
    await file.close();
  }
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('a copied transcript', () => {
  it('has the same bytes, size, line count and hash', async () => {
    const { bench } = used;
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5_000 }), async (array) => {
        const bytes = Buffer.from(array);
        run += 1;
        const to = join(bench.folder, `copy-${run}`);
        const copied = await copy(bench.write('t', bytes), to);
        expect(readFileSync(to).equals(bytes)).toBe(true);
        const feeds = bytes.filter((byte) => byte === 0x0a).length;
        const lines = bytes.length === 0 || bytes.at(-1) === 0x0a ? feeds : feeds + 1;
        expect(copied).toMatchObject({ bytes: bytes.length, lines, sha256: sha256(bytes) });
        expect(await digestFile(to)).toMatchObject({
          ...copied,
          chunks: bytes.length === 0 ? [] : [copied.sha256],
        });
      }),
      { numRuns: 50 },
    );
  });

  it('is complete across many chunks, with lines longer than a chunk', async () => {
    const { bench } = used;
    const bytes = Buffer.from(`${'a'.repeat(1_500_000)}\n${'b\n'.repeat(700_000)}end`);
    const to = join(bench.folder, 'copy');
    expect(await copy(bench.write('t', bytes), to)).toMatchObject({
      bytes: bytes.length,
      lines: 700_002,
      sha256: sha256(bytes),
    });
    expect(readFileSync(to).equals(bytes)).toBe(true);
  });

  it('is readable by its owner only, from its creation on', async () => {
    const { bench } = used;
    const file = await openTranscript(bench.write('t'));
    const prototype = Object.getPrototypeOf(file);
    const seen: number[] = [];
    const chmod = vi.spyOn(prototype, 'chmod').mockImplementation(async function (this: typeof file) {
      seen.push((await this.stat()).mode & 0o777);
    });
    const umask = process.umask(0);
    try {
      await copyTranscript(file, join(bench.folder, 'copy'));
    } finally {
      process.umask(umask);
      chmod.mockRestore();
      await file.close();
    }
    expect(seen).toEqual([0o600]);
  });

  it('never replaces another file', async () => {
    const { bench } = used;
    const to = bench.write('copy', 'precious');
    await expect(copy(bench.write('t'), to)).rejects.toThrow('EEXIST');
    expect(readFileSync(to, 'utf8')).toBe('precious');
  });

  it('ends where the transcript ended at the start of copying, whatever is appended later', async () => {
    const { bench } = used;
    const from = bench.write('t', 'x'.repeat(3_000_000));
    const file = await openTranscript(from);
    const prototype = Object.getPrototypeOf(file);
    const { read } = prototype;
    const reading = vi.spyOn(prototype, 'read').mockImplementation(function (this: typeof file, ...rest) {
      // The file grows faster than it is read; without a bound, the copy would never end.
      if (reading.mock.calls.length < 100) appendFileSync(from, 'y'.repeat(2_000_000));
      return read.apply(this, rest);
    });
    try {
      expect((await copyTranscript(file, join(bench.folder, 'copy'))).bytes).toBe(3_000_000);
    } finally {
      reading.mockRestore();
      await file.close();
    }
  });
});

describe('openTranscript', () => {
  it.each(['/dev/zero', '/dev/null', '/'])('refuses %s without waiting', async (path) => {
    await expect(openTranscript(path)).rejects.toBeInstanceOf(NotAFileError);
  });

  it('refuses a pipe without a writer, a socket and a folder without waiting', async () => {
    const { bench } = used;
    const fifo = join(bench.folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    await expect(openTranscript(fifo)).rejects.toThrow('it is a pipe, a socket or a device, not a file');
    const folder = join(bench.folder, 'folder.jsonl');
    mkdirSync(folder);
    await expect(openTranscript(folder)).rejects.toThrow('EISDIR');
    const server = createServer().listen(join(bench.folder, 'socket'));
    await expect(openTranscript(join(bench.folder, 'socket'))).rejects.toBeInstanceOf(NotAFileError);
    server.close();
  });
});
