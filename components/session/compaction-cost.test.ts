import { describe, expect, it } from 'vitest';
import { eventOf } from '../charts/series-fixture';
import { compactionCost } from './compaction-cost';

const at = (second: number) => new Date(second * 1_000).toISOString();
const event = (detail: Record<string, unknown>) =>
  eventOf({ id: 'c', kind: 'compaction', turn: 12, at: at(100), detail });
const figures = { preTokens: 155_413, firstReading: 59_944 };
const turn = (number: number, second: number, cacheCreation = 0, input = 0) => ({
  number,
  at: at(second),
  usage: { input, output: 300, cacheRead: 1_000, cacheCreation },
});

describe('what a compaction cost', () => {
  it('is what it dropped, how long it took, and what the next turn read anew', () => {
    expect(
      compactionCost(event({ ...figures, durationMs: 74_284 }), [turn(12, 20), turn(13, 130, 58_000, 12)]),
    ).toEqual({
      dropped: { tokens: 95_469, share: 95_469 / 155_413 },
      duration: { ms: 74_284, isStated: true },
      reread: 58_012,
    });
  });

  it('took no longer than since the last turn, where nobody stated how long', () => {
    expect(compactionCost(event(figures), [turn(12, 23)]).duration).toEqual({ ms: 77_000, isStated: false });
    expect(compactionCost(event(figures), [turn(13, 130)]).duration).toBeNull();
    // A clock that runs ahead says nothing.
    expect(compactionCost(event(figures), [turn(12, 101)]).duration).toBeNull();
  });

  it('stays unknown where a figure is missing, and is no number made up', () => {
    expect(compactionCost(event({ preTokens: 9 }), [{ ...turn(13, 130), usage: null }])).toEqual({
      dropped: null,
      duration: null,
      reread: null,
    });
    expect(compactionCost(event({ ...figures, durationMs: 'long' }), []).duration).toBeNull();
  });
});
