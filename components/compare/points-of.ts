import type { SeriesPoint } from '@/core/api/series';

/** Points of one context; a range of time holds the ends of its neighbours as well. Null: all. */
export function pointsOf(points: readonly SeriesPoint[], context: number | null): SeriesPoint[] {
  return points.filter((point) => context === null || point.context === context);
}
