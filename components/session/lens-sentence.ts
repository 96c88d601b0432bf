/** Why another lens reads something else, in this session's own numbers. */

import type { Series, SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import { formatPercent } from '../format/format-percent';
import { formatExact } from '../format/format-tokens';

export const LENS_NAME: Record<Series['lens'], string> = {
  snapshot: 'Snapshot',
  cumulative: 'Cumulative',
  'last-turn': 'Last turn',
  'cache-inflated': 'Cache-inflated',
};

/**
 * @param lens the lens that is laid over the session's own
 * @param point the last point of that lens; null: it has none
 */
export function lensSentence(session: Session, lens: Series['lens'], point: SeriesPoint | null): string {
  const limit = point?.limit ?? session.limit;
  if (point === null || point.used === null || limit === null || limit <= 0) return silent(lens);
  const reads = formatPercent(point.used / limit);
  const own = session.used === null ? 'unknown' : formatPercent(session.used / limit);
  switch (lens) {
    case 'cache-inflated':
      return point.turns === 1
        ? `With cache reads counted this turn would read ${reads}: ${formatExact(point.cacheRead)} of its ${formatExact(point.used)} tokens came from the cache. Pressure is ${own}.`
        : `With cache reads counted the last turn would read ${reads}. Pressure is ${own}: cache reads are telemetry.`;
    case 'last-turn':
      return `The last turn alone would read ${reads}: it spent ${formatExact(point.used)} tokens and leaves out all that is in the context already. Pressure is ${own}.`;
    case 'cumulative':
      return `The cumulative lens would read ${reads}: it sums input and output of this context, ${formatExact(point.used)} tokens, and neither sees what came from the cache nor what a client sends again. Pressure is ${own}.`;
    case 'snapshot':
      return `The snapshot lens would read ${reads}: the size of the context by its last reading, ${formatExact(point.used)} tokens. Pressure by the sum of all turns is ${own}.`;
  }
}

function silent(lens: Series['lens']): string {
  if (lens === 'snapshot')
    return 'No reading of the context’s size was sent: the snapshot lens knows nothing here.';
  return `The ${LENS_NAME[lens].toLowerCase()} lens has no value for the last turn.`;
}
