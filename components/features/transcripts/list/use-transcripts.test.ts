import { expect, it } from 'vitest';
import { transcriptFixture } from '../../../format/testing/transcript-fixture';
import { joinPages, type ListedTranscript } from './use-transcripts';

const hit = (line: number) => ({ line, excerpt: `line ${line}`, marks: [] });
const row = (id: string, lines: number[] | null = null): ListedTranscript => ({
  ...transcriptFixture({ id }),
  hits: (lines ?? []).map(hit),
  hitCount: lines?.length ?? null,
});

it('lists each transcript once, and adds up the places that a continued search finds', () => {
  const joined = joinPages([
    { transcripts: [row('a', [1, 2]), row('b', [5])] },
    { transcripts: [row('c', [9]), row('a', [7, 8])] },
  ]);
  expect(joined.map(({ id, hitCount }) => [id, hitCount])).toEqual([
    ['a', 4],
    ['b', 1],
    ['c', 1],
  ]);
  expect(joined[0]?.hits.map(({ line }) => line)).toEqual([1, 2, 7]);
});

it('keeps the newer row of a transcript that is on two pages without a search', () => {
  const older = row('a');
  const newer = { ...row('a'), state: 'deleted' as const };
  expect(joinPages([{ transcripts: [older] }, { transcripts: [newer] }])).toEqual([newer]);
});
