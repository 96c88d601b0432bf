/** From a place on the x axis back to turns and times. */

import type { SeriesPoint } from '@/core/api/series';
import type { AxisKind } from '../../charts/chart-scale';

/** Number of the last turn until a moment, or the first turn; null without points. */
export function turnStandingAt(points: readonly SeriesPoint[], at: number): number | null {
  return (points.findLast(({ t }) => t <= at) ?? points[0])?.n ?? null;
}

/** Ascending numbers of the points, each its own: a reading on its own has the number of the turn before it. */
export function turnKeys(points: readonly SeriesPoint[]): number[] {
  let readings = 0;
  return points.map(({ n }, index) => {
    readings = points[index - 1]?.n === n ? readings + 1 : 0;
    return n + readings / 1_000;
  });
}

/** The time at x, milliseconds; over turns, between the times of the turns around it. */
export function timeBetween(points: readonly SeriesPoint[], axis: AxisKind, x: number): number {
  if (axis === 'time') return x;
  const afterIndex = points.findIndex((point) => point.n >= x);
  const after = afterIndex === -1 ? points.at(-1) : points[afterIndex];
  const before = afterIndex > 0 ? points[afterIndex - 1] : undefined;
  if (!after) return 0;
  if (!before || after.n <= before.n || x > after.n) return after.t;
  return before.t + ((x - before.n) / (after.n - before.n)) * (after.t - before.t);
}
