import { describe, expect, it } from 'vitest';
import type { TranscriptList } from '@/core/api/transcripts';
import { transcriptFixture } from '../testing-transcripts';
import { takeFirst, takeMore } from './hold-rows';

const page = (ids: string[], nextCursor: string | null = null): TranscriptList => ({
  transcripts: ids.map((id) => ({ ...transcriptFixture({ id }), hits: [], hitCount: null })),
  total: 9,
  nextCursor,
});
const ids = (held: ReturnType<typeof takeFirst> | null) => held?.rows.map(({ id }) => id);

describe('rows that were read page by page', () => {
  it('keep the pages behind when the first one is read again', () => {
    const held = takeMore(takeFirst(null, page(['c', 'b'], '2'), 'x'), page(['a', '9'], '3'));
    expect(ids(held)).toEqual(['c', 'b', 'a', '9']);
    const fresh = takeFirst(held, page(['d', 'c'], '2'), 'x');
    expect(ids(fresh)).toEqual(['d', 'c', 'a', '9']);
    expect(fresh.cursor).toBe('3');
  });

  it('begin anew with another question, with so much news that a gap would open, and when these are all', () => {
    const held = takeMore(takeFirst(null, page(['c', 'b'], '2'), 'x'), page(['a']));
    expect(ids(takeFirst(held, page(['z'], '2'), 'y'))).toEqual(['z']);
    expect(ids(takeFirst(held, page(['f', 'e'], '2'), 'x'))).toEqual(['f', 'e']);
    expect(ids(takeFirst(held, page(['c', 'b']), 'x'))).toEqual(['c', 'b']);
  });

  it('hold no row twice', () => {
    const held = takeFirst(null, page(['c', 'b'], '2'), 'x');
    expect(ids(takeMore(held, page(['b', 'a'])))).toEqual(['c', 'b', 'a']);
    expect(takeMore(null, page(['a']))).toBeNull();
  });
});
