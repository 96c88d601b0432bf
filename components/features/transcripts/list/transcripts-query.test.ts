import { describe, expect, it } from 'vitest';
import { transcriptFixture } from '../../../format/testing/transcript-fixture';
import {
  joinPages,
  type ListedTranscript,
  type TranscriptsQuery,
  transcriptsSearch,
} from './transcripts-query';

const NONE = { q: '', project: '', session: '', trigger: null, state: [], from: null, to: null, size: null };
const query = (fields: Partial<TranscriptsQuery>) =>
  ({ ...NONE, sort: 'at', order: 'desc', ...fields }) satisfies TranscriptsQuery;

describe('the query for the API', () => {
  it('is empty without filters, and leaves out the usual order', () => {
    expect(transcriptsSearch(query({}), 'UTC')).toBe('');
    expect(transcriptsSearch(query({ sort: 'bytes', order: 'asc' }), 'UTC')).toBe('sort=bytes&order=asc');
    expect(transcriptsSearch(query({ state: ['failed', 'stored'], size: 'middle' }), 'UTC')).toBe(
      'state=failed&state=stored&minBytes=1000000&maxBytes=9999999',
    );
  });

  it('sends days in the viewer’s zone, including the whole last day', () => {
    const day = new Date('2026-11-03T00:00:00Z');
    const search = new URLSearchParams(transcriptsSearch(query({ from: day, to: day }), 'Asia/Tokyo'));
    expect(search.get('from')).toBe('2026-11-02T15:00:00.000Z');
    expect(search.get('to')).toBe('2026-11-03T14:59:59.999Z');
  });
});

describe('pages of the list', () => {
  const hit = (line: number) => ({ line, excerpt: `line ${line}`, marks: [] });
  const row = (id: string, lines?: number[]): ListedTranscript => ({
    ...transcriptFixture({ id }),
    hits: (lines ?? []).map(hit),
    hitCount: lines?.length ?? null,
  });

  it('list each transcript once, and add up the matches of a continued search', () => {
    const joined = joinPages([
      { transcripts: [row('a', [1, 2]), row('b', [5])] },
      { transcripts: [row('c', [9]), row('a', [7, 8])] },
    ]);
    expect(joined.map(({ id, hitCount }) => `${id} ${hitCount}`)).toEqual(['a 4', 'b 1', 'c 1']);
    expect(joined[0]?.hits.map(({ line }) => line)).toEqual([1, 2, 7]);
  });

  it('without a search, keep the newer row of a transcript that is on two pages', () => {
    const newer = { ...row('a'), state: 'deleted' as const };
    expect(joinPages([{ transcripts: [row('a')] }, { transcripts: [newer] }])).toEqual([newer]);
  });
});
