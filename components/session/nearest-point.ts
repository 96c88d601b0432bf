/** From a place on the x axis back to turns and times. */

import type { SeriesPoint } from '@/core/api/series';
import { type AxisKind, pointX } from '../charts/chart-scale';

/** Index of the point nearest to x; points ascend in x. -1 without points. */
export function nearestPoint(points: readonly SeriesPoint[], axis: AxisKind, x: number): number {
  let low = 0;
  let high = points.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    const point = points[middle];
    if (point && pointX(point, axis) < x) low = middle + 1;
    else high = middle;
  }
  const after = points[low];
  const before = points[low - 1];
  if (!after) return -1;
  if (before && x - pointX(before, axis) <= pointX(after, axis) - x) return low - 1;
  return low;
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
