import { describe, expect, it } from 'vitest';
import { listTroubles, placeTroubles } from './list-troubles';
import { eventOf } from './series-fixture';

describe('the marks of trouble', () => {
  it('say why, each with the numbers of its event', () => {
    const [thrash, storm, ...rest] = listTroubles([
      eventOf({ id: 'a', kind: 'thrash', turn: 40, detail: { form: 'refill', turns: 4, inARow: 2 } }),
      eventOf({ id: 'b', kind: 'compaction', turn: 41 }),
      eventOf({
        id: 'c',
        kind: 'cache_storm',
        turn: 60,
        detail: { usualShare: 0.94, share: 0.1, missed: 3, of: 5, tokens: 240_000 },
      }),
      eventOf({ id: 'd', kind: 'thrash', chain: 'sub', detail: {} }),
    ]);
    expect(thrash).toMatchObject({ id: 'a', kind: 'thrash', turn: 40 });
    expect(thrash?.sentence).toContain('Full again 4 turns after its compaction, 2 times in a row');
    expect(storm?.sentence).toContain('3 of the last 5 calls');
    expect(rest).toEqual([]);
  });

  it('stand apart: of those that would cover each other the newest speaks for all', () => {
    const marks = listTroubles(
      ['a', 'b', 'c', 'd'].map((id) => eventOf({ id, kind: 'thrash', detail: { form: 'in_a_row' } })),
    );
    const placed = placeTroubles(marks.map((mark, index) => ({ ...mark, x: [10, 20, 30, 200][index] ?? 0 })));
    expect(placed.map(({ id, more }) => [id, more])).toEqual([
      ['c', 2],
      ['d', 0],
    ]);
  });
});
