import { describe, expect, it } from 'vitest';
import { pointOf } from '../../charts/series-fixture';
import { clipPoints, timeBetween, turnKeys, turnStandingAt, untrackedStretches } from './sheet-places';

const points = Array.from({ length: 10 }, (_, i) => pointOf({ n: i + 1 }));

it('clips points to a range, with the value at the left edge and the step at the right', () => {
  expect(clipPoints(points, 180_000, 300_000).map((point) => point.n)).toEqual([2, 3, 4, 5, 6]);
  expect(clipPoints(points, 900_000, 950_000).map((point) => point.n)).toEqual([10]);
});

describe('untrackedStretches', () => {
  const domain = { from: 0, to: 12, end: { x: 11, hold: 'solid' } } as const;
  it('reaches from the first untracked turn to the end', () => {
    const lost = points.map((point) => ({ ...point, untracked: point.n >= 6 }));
    expect(untrackedStretches(lost, [], 'turns', domain)).toEqual([{ from: 6, to: 11 }]);
  });
  it('ends where tracking returns', () => {
    const lost = points.map((point) => ({
      ...point,
      untracked: point.n === 4,
      context: point.n > 4 ? 1 : 0,
    }));
    expect(untrackedStretches(lost, [], 'turns', domain)).toEqual([{ from: 4, to: 5 }]);
  });
});

describe('the way back from a place on the sheet', () => {
  it('finds the last turn until a moment', () => {
    expect([500, 60_000, 119_000, 120_000, 9e9].map((at) => turnStandingAt(points, at))).toEqual([
      1, 1, 1, 2, 10,
    ]);
    expect(turnStandingAt([], 5)).toBeNull();
  });

  it('numbers each point, readings on their own after their turn', () => {
    const keys = turnKeys([3, 3, 3, 4].map((n) => pointOf({ n })));
    expect(new Set(keys).size).toBe(4);
    expect(keys).toEqual(keys.toSorted((a, b) => a - b));
    expect(keys.map(Math.floor)).toEqual([3, 3, 3, 4]);
  });

  it('finds the time between two turns by proportion', () => {
    expect(timeBetween(points, 'turns', 2.5)).toBe(150_000);
    expect(timeBetween(points, 'time', 1_234)).toBe(1_234);
    expect(timeBetween(points, 'turns', 99)).toBe(600_000);
  });
});
