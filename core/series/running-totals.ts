/** What a chain spent on its cache up to each point of a series: telemetry, across all boundaries. */
import type { SeriesPoint } from '../api/series';

export interface CacheTotals {
  cacheRead: number;
  cacheCreation: number;
}

/** The points with their totals. @param before what the turns before the first point spent */
export function runningTotals(points: readonly SeriesPoint[], before: CacheTotals): SeriesPoint[] {
  let { cacheRead, cacheCreation } = before;
  return points.map((point) => {
    cacheRead += point.cacheRead;
    cacheCreation += point.cacheCreation;
    return { ...point, totalCacheRead: cacheRead, totalCacheCreation: cacheCreation };
  });
}

/** The same from the other end. @param end what the chain spent up to the last point, that one included */
export function totalsUpTo(points: readonly SeriesPoint[], end: CacheTotals): SeriesPoint[] {
  const before = points.reduce(
    (left, point) => ({
      cacheRead: left.cacheRead - point.cacheRead,
      cacheCreation: left.cacheCreation - point.cacheCreation,
    }),
    { cacheRead: end.cacheRead, cacheCreation: end.cacheCreation },
  );
  return runningTotals(points, before);
}
