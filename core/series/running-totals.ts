/** Cache traffic of a chain up to each point of a series, over all contexts. */
import type { SeriesPoint } from '../api/series';

export interface CacheTotals {
  cacheRead: number;
  cacheCreation: number;
}

/** The points with their totals. @param before totals before the first point */
export function runningTotals(points: readonly SeriesPoint[], before: CacheTotals): SeriesPoint[] {
  let { cacheRead, cacheCreation } = before;
  return points.map((point) => {
    cacheRead += point.cacheRead;
    cacheCreation += point.cacheCreation;
    return { ...point, totalCacheRead: cacheRead, totalCacheCreation: cacheCreation };
  });
}

/** The points with their totals. @param end totals up to and including the last point */
export function totalsUpTo(points: readonly SeriesPoint[], end: CacheTotals): SeriesPoint[] {
  const sum = (name: keyof CacheTotals) => points.reduce((total, point) => total + point[name], 0);
  return runningTotals(points, {
    cacheRead: end.cacheRead - sum('cacheRead'),
    cacheCreation: end.cacheCreation - sum('cacheCreation'),
  });
}
