import type { SeriesPoint } from '@/core/api/series';
import { formatPercent } from '../../format/format-percent';
import { formatCount, formatExact } from '../../format/format-tokens';

/** A turn in words, for those who listen to the chart. */
export function describePoint(
  point: SeriesPoint | null,
  limit: number | null,
  clock: (at: number) => string,
): string {
  if (point === null) return 'No turn yet';
  const when = `${clock(point.t)}, turn ${point.n}, context ${point.context}`;
  if (point.untracked) return `${when}: not tracked`;
  if (point.used === null) return `${when}: unknown`;
  const whole = point.limit ?? limit;
  const share = whole === null || whole <= 0 ? '' : `, ${formatPercent(point.used / whole)}`;
  const reads = point.cacheRead > 0 ? `; ${formatExact(point.cacheRead)} cache reads` : '';
  return `${when}: ${point.estimated ? 'about ' : ''}${formatCount(point.used, 'token')}${share}${reads}`;
}
