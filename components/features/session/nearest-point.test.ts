import { describe, expect, it } from 'vitest';
import { pointOf } from '../../charts/series-fixture';
import { timeBetween, turnKeys, turnStandingAt } from './nearest-point';

const points = [1, 2, 3, 4].map((n) => pointOf({ n, t: n * 1_000 }));

describe('the way back from a place on the sheet', () => {
  it('knows the turn that stood at a moment: the last one until then', () => {
    expect([500, 1_000, 1_999, 2_000, 9_000].map((at) => turnStandingAt(points, at))).toEqual([
      1, 1, 1, 2, 4,
    ]);
    expect(turnStandingAt([], 5)).toBeNull();
  });

  it('numbers each point for itself, readings on their own after their turn', () => {
    const readings = [
      pointOf({ n: 3 }),
      pointOf({ n: 3, turns: 0 }),
      pointOf({ n: 3, turns: 0 }),
      pointOf({ n: 4 }),
    ];
    const keys = turnKeys(readings);
    expect(new Set(keys).size).toBe(4);
    expect(keys).toEqual([...keys].sort((a, b) => a - b));
    expect(keys.map(Math.floor)).toEqual([3, 3, 3, 4]);
  });

  it('finds the time between two turns by proportion', () => {
    expect(timeBetween(points, 'turns', 2.5)).toBe(2_500);
    expect(timeBetween(points, 'time', 1_234)).toBe(1_234);
    expect(timeBetween(points, 'turns', 99)).toBe(4_000);
  });
});
