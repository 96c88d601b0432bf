import { describe, expect, it } from 'vitest';
import type { TranscriptList } from '@/core/api/transcripts';
import { transcriptFixture } from '../testing-transcripts';
import { takeFirst, takeMore, takeOlder } from './hold-rows';

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
    // What the news pushed off the first page is behind it now, and not gone.
    expect(ids(fresh)).toEqual(['d', 'c', 'b', 'a', '9']);
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

  it('take in what the search finds further back: further transcripts, and further places in known ones', () => {
    const found = (id: string, hitCount: number, line: number) => ({
      ...transcriptFixture({ id }),
      hits: [{ line, excerpt: `${id} ${line}`, marks: [] }],
      hitCount,
    });
    const first = { transcripts: [found('c', 2, 5), found('b', 1, 6)], total: 2, nextCursor: null };
    const held = takeFirst(null, { ...first, searchCursor: 'older' }, 'x');
    const page = { transcripts: [found('b', 3, 1), found('a', 1, 2)], total: 2, nextCursor: null };
    const older = takeOlder(held, { ...page, searchCursor: null }, 'older');
    expect(older).toMatchObject({ total: 3, searchCursor: null, wentOn: true, cursor: null });
    expect(older?.rows.map(({ id, hitCount, hits }) => [id, hitCount, hits.map(({ line }) => line)])).toEqual(
      [
        ['c', 2, [5]],
        ['b', 4, [6, 1]],
        ['a', 1, [2]],
      ],
    );
    // In the order of the list, wherever it was found.
    const byTitle = takeFirst(null, { ...first, searchCursor: 'older' }, 'q=x&sort=session&order=asc');
    const titled = { ...found('z', 1, 2), sessionTitle: 'Anchorage' };
    const all = takeOlder(byTitle, { ...page, transcripts: [titled] }, 'older');
    expect(ids(all)).toEqual(['z', 'c', 'b']);
    // A look at the newest ones again takes nothing of it away.
    const again = takeFirst(older, { ...first, searchCursor: 'older' }, 'x');
    expect(ids(again)).toEqual(['c', 'b', 'a']);
    expect(again.rows.map(({ hitCount }) => hitCount)).toEqual([2, 4, 1]);
    expect(again.searchCursor).toBeNull();
  });

  it('keep the pages of the first part that nobody had read when the search went on', () => {
    const first = { ...page(['f', 'e'], 'first 2'), searchCursor: 'older' };
    const early = takeOlder(takeFirst(null, first, 'x'), page(['b'], 'older 2'), 'older');
    expect(early).toMatchObject({ cursor: 'first 2', searched: null });
    const more = takeMore(early, page(['d'], 'first 3'));
    expect(more).toMatchObject({ cursor: 'first 3', searched: null });
    const rest = takeMore(more, page(['c']));
    expect(rest).toMatchObject({ cursor: 'older 2', searched: 'older' });
    const all = takeMore(rest, page(['a']));
    expect(all).toMatchObject({ cursor: null, searched: null });
    expect(new Set(ids(all))).toEqual(new Set(['a', 'b', 'c', 'd', 'e', 'f']));
  });

  it('keep unread pages of every part, however often the search goes on', () => {
    const first = { ...page(['f'], 'first 2'), searchCursor: 'older' };
    const older = { ...page(['d'], 'older 2'), searchCursor: 'oldest' };
    const twice = takeOlder(
      takeOlder(takeFirst(null, first, 'x'), older, 'older'),
      page(['b'], '2'),
      'oldest',
    );
    const read: (string | null)[] = [];
    for (let held = twice; held?.cursor != null; held = takeMore(held, page([]))) {
      read.push(held.searched, held.cursor);
    }
    expect(read).toEqual([null, 'first 2', 'older', 'older 2', 'oldest', '2']);
  });
});
