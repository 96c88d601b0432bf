/** Why another lens reads something else, in this session's own numbers. */

import type { Series, SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import { lensPhrase } from '@/core/explain/lens-phrase';
import { formatPercent } from '../../format/format-percent';
import { formatExact } from '../../format/format-tokens';

/**
 * @param lens the lens that is laid over the session's own
 * @param point the last point of that lens; null: it has none
 */
export function lensSentence(session: Session, lens: Series['lens'], point: SeriesPoint | null): string {
  return lensPhrase(session, {
    lens,
    used: point?.used ?? null,
    limit: point?.limit ?? session.limit,
    cacheRead: point?.turns === 1 ? point.cacheRead : null,
    turn: point?.turns === 1 ? point.n : null,
  })
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('atMs' in part) return new Date(part.atMs).toISOString();
      return part.unit === 'share' ? formatPercent(part.value) : formatExact(part.value);
    })
    .join('');
}
