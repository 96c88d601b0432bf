import { describe, expect, it } from 'vitest';
import { pointOf } from '../../charts/series-fixture';
import { clipPoints, joinZoomed, untrackedStretches } from './visible-points';

const points = Array.from({ length: 10 }, (_, i) => pointOf({ n: i + 1 }));

describe('clipPoints', () => {
  it('keeps the value at the left edge and the step at the right', () => {
    expect(clipPoints(points, 180_000, 300_000).map((point) => point.n)).toEqual([2, 3, 4, 5, 6]);
  });
  it('still holds the last value where the range lies behind the last turn', () => {
    expect(clipPoints(points, 900_000, 950_000).map((point) => point.n)).toEqual([10]);
  });
});

describe('joinZoomed', () => {
  it('puts the detailed range into the whole without a turn missing or doubled', () => {
    const whole = [5, 10, 15, 20, 22].map((n) => pointOf({ n, turns: n === 22 ? 1 : 5 }));
    const zoomed = [8, 9, 10, 11, 12].map((n) => pointOf({ n }));
    expect(joinZoomed(whole, zoomed).map((point) => point.n)).toEqual([5, 8, 9, 10, 11, 12, 15, 20, 22]);
  });
  it('shows the whole while the range is on its way', () => {
    expect(joinZoomed(points, null)).toBe(points);
  });
});

describe('untrackedStretches', () => {
  it('reaches from the first untracked turn to the end', () => {
    const lost = points.map((point) => ({ ...point, untracked: point.n >= 6 }));
    expect(untrackedStretches(lost, [], 'turns', { from: 0, to: 12, end: { x: 11 } })).toEqual([
      { from: 6, to: 11 },
    ]);
  });
  it('ends where tracking returns', () => {
    const lost = points.map((point) => ({
      ...point,
      untracked: point.n === 4,
      context: point.n > 4 ? 1 : 0,
    }));
    expect(untrackedStretches(lost, [], 'turns', { from: 0, to: 12, end: { x: 11 } })).toEqual([
      { from: 4, to: 5 },
    ]);
  });
});
