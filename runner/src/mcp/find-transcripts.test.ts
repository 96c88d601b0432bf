import { mkdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { prepareArchiveBench } from '../archive/testing/archive-bench';
import { createTranscriptFinder } from './find-transcripts';

const used = prepareArchiveBench();

it('assigns an archive of an unknown folder to no folder', async () => {
  const { bench } = used;
  mkdirSync(bench.archives, { recursive: true });
  bench.write(`${bench.archives.slice(bench.folder.length)}/s1_20261122_015413_transcript.txt`, 'text');
  const finder = createTranscriptFinder({ transcripts: [] }, bench.config, process.cwd());
  expect(await finder.archives()).toEqual([]);
});
