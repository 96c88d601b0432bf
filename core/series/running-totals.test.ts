import { describe, expect, it } from 'vitest';
import { testPoint } from '../live/testing-rows';
import { runningTotals, totalsUpTo } from './running-totals';

const points = [
  testPoint(1, { cacheRead: 100, cacheCreation: 7 }),
  testPoint(2, { cacheRead: 0, cacheCreation: 0, turns: 0 }),
  testPoint(3, { cacheRead: 50, cacheCreation: 3, context: 1 }),
];
const totals = (all: ReturnType<typeof runningTotals>) =>
  all.map((point) => [point.totalCacheRead, point.totalCacheCreation]);

describe('the totals along a series', () => {
  it('continue from the earlier totals and across a boundary', () => {
    expect(totals(runningTotals(points, { cacheRead: 1_000, cacheCreation: 20 }))).toEqual([
      [1_100, 27],
      [1_100, 27],
      [1_150, 30],
    ]);
  });

  it('are the same when counted from the end', () => {
    const end = { cacheRead: 1_150, cacheCreation: 30 };
    expect(totalsUpTo(points, end)).toEqual(runningTotals(points, { cacheRead: 1_000, cacheCreation: 20 }));
    expect(totalsUpTo([], end)).toEqual([]);
  });
});
