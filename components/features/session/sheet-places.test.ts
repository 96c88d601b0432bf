import { describe, expect, it } from 'vitest';
import { between, chartScale } from '../../charts/chart-scale';
import { pointOf } from '../../charts/series-fixture';
import { clipPoints, turnKeys, untrackedStretches } from './sheet-places';

const points = Array.from({ length: 10 }, (_, i) => pointOf({ n: i + 1 }));

it('clips points to a range, with one point on either side', () => {
  expect(clipPoints(points, 180_000, 300_000).map((point) => point.n)).toEqual([2, 3, 4, 5, 6]);
  expect(clipPoints(points, 900_000, 950_000).map((point) => point.n)).toEqual([10]);
});

describe('untrackedStretches', () => {
  const domain = { from: 0, to: 12, end: { x: 11, hold: 'solid' } } as const;
  const ground = { domain, scale: chartScale('turns', 'percent', null) };
  it('spans from the first untracked turn to the end', () => {
    const lost = points.map((point) => ({ ...point, untracked: point.n >= 6 }));
    expect(untrackedStretches(lost, [], ground)).toEqual([{ from: 6, to: 11 }]);
  });
  it('ends where tracking resumes', () => {
    const lost = points.map((point) => ({
      ...point,
      untracked: point.n === 4,
      context: point.n > 4 ? 1 : 0,
    }));
    expect(untrackedStretches(lost, [], ground)).toEqual([{ from: 4, to: 5 }]);
  });
});

describe('time of a position on the sheet', () => {
  it('numbers each point, and places a reading after its turn', () => {
    const keys = turnKeys([3, 3, 3, 4].map((n) => pointOf({ n })));
    expect(new Set(keys).size).toBe(4);
    expect(keys).toEqual(keys.toSorted((a, b) => a - b));
    expect(keys.map(Math.floor)).toEqual([3, 3, 3, 4]);
  });

  it('interpolates the time between two turns', () => {
    expect(between(points, 'n', 2.5, 't')).toBe(150_000);
    expect(between(points, 'n', 99, 't')).toBe(600_000);
    expect(between(points, 't', 150_000, 'n')).toBe(2.5);
  });
});
