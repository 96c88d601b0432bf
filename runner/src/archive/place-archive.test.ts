import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { link } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { placeArchive } from './place-archive';
import { prepareArchiveBench } from './testing/archive-bench';

const used = prepareArchiveBench();
const name = { session: 's', timestamp: '20261122_015412', extension: '.jsonl' };

const place = (content: string, linkFile?: typeof link) =>
  placeArchive(used.bench.write(`partial-${content}`, content), used.bench.folder, name, linkFile);

/** What exFAT and some network file systems say. */
const withoutLinks: typeof link = () =>
  Promise.reject(Object.assign(new Error('not supported'), { code: 'EPERM' }));

describe('placeArchive', () => {
  it('names archives by session and second, numbered from the second one on', async () => {
    const paths = [await place('a'), await place('b'), await place('c')];
    expect(paths.map((path) => basename(path))).toEqual([
      's_20261122_015412_transcript.jsonl',
      's_20261122_015412-2_transcript.jsonl',
      's_20261122_015412-3_transcript.jsonl',
    ]);
    expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['a', 'b', 'c']);
  });

  it.each([
    ['where files can have two names', undefined],
    ['where they cannot', withoutLinks],
  ] as const)('never takes an existing name, %s', async (_, linkFile) => {
    const { bench } = used;
    writeFileSync(join(bench.folder, 's_20261122_015412_transcript.jsonl'), 'of another process');
    writeFileSync(join(bench.folder, 's_20261122_015412-2_transcript.jsonl'), 'of another process');
    writeFileSync(join(bench.folder, 's_20261122_015412-3_transcript.jsonl'), 'of another process');
    expect(basename(await place('a', linkFile))).toMatch(/^s_20261122_015412-\d+_transcript\.jsonl$/);
    const others = readdirSync(bench.folder)
      .map((file) => readFileSync(join(bench.folder, file), 'utf8'))
      .filter((text) => text === 'of another process');
    expect(others).toHaveLength(3);
  });

  it('places many archives at once, with and without links', async () => {
    const contents = Array.from({ length: 200 }, (_, index) => `c${index}`);
    const paths = await Promise.all(
      contents.map((content, index) => place(content, index % 2 ? withoutLinks : undefined)),
    );
    expect(new Set(paths).size).toBe(200);
    expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(contents);
    expect(readdirSync(used.bench.folder).filter((file) => !file.endsWith('.jsonl'))).toEqual([]);
  });

  it('fails when the file system fails', async () => {
    const full = () => Promise.reject(Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC' }));
    await expect(place('a', full)).rejects.toThrow('ENOSPC');
    expect(readdirSync(used.bench.folder)).toEqual(['partial-a']);
  });
});
