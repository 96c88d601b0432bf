import { describe, expect, it } from 'vitest';
import { emptyContext } from './empty-fold';
import { usedByLens, usedOfTurn } from './lens';

describe('a lens over one stored turn', () => {
  const turn = {
    input: 487,
    output: 5_880,
    cacheRead: 1_432_262,
    cumulativeInput: 1_000,
    cumulativeOutput: 9_000,
    reading: 150_000,
    untracked: false,
  };

  it('cumulative reads the sums of the context, null while it is untracked', () => {
    expect(usedOfTurn(turn, 'cumulative')).toBe(10_000);
    expect(usedOfTurn({ ...turn, untracked: true }, 'cumulative')).toBeNull();
  });

  it('snapshot reads the last reading, tracked or not', () => {
    expect(usedOfTurn(turn, 'snapshot')).toBe(150_000);
    expect(usedOfTurn({ ...turn, untracked: true }, 'snapshot')).toBe(150_000);
    expect(usedOfTurn({ ...turn, reading: null }, 'snapshot')).toBeNull();
  });

  it('last turn reads only the usage of the turn, which is too low', () => {
    expect(usedOfTurn(turn, 'last-turn')).toBe(6_367);
  });

  it('cache-inflated adds the turn’s cache reads, which gives 719 % of 200 000', () => {
    const used = usedOfTurn(turn, 'cache-inflated');
    expect(used).toBe(1_438_629);
    expect(Math.round(((used ?? 0) / 200_000) * 100)).toBe(719);
  });
});

describe('the session’s lens', () => {
  const context = {
    ...emptyContext(0, true),
    cumulative: { input: 10, output: 20, cacheRead: 999 },
    reading: { tokens: 500, basis: 'total' as const, call: null },
  };

  it('reads the sums or the reading of the context', () => {
    expect(usedByLens(context, 'cumulative')).toBe(30);
    expect(usedByLens(context, 'snapshot')).toBe(500);
  });

  it('is null while untracked or unknown', () => {
    expect(usedByLens({ ...context, tracked: false }, 'cumulative')).toBeNull();
    expect(usedByLens({ ...context, reading: null }, 'snapshot')).toBeNull();
  });
});
