import type postgres from 'postgres';
import type { Figures } from '../../core/api/figures';
import { figuresOf } from '../../core/series/figures-of';
import type { Clock } from './clock';
import { listContexts } from './contexts';
import type { SessionRef } from './find-session';
import { loadSeries } from './load-series';
import { loadSession } from './load-session';

/** Number of points in which crossings and peaks are searched. Shorter sessions are read turn by turn. */
const FINEST = 2_000;

/** Figures of a session or of one context of its main chain; null: unknown context or deleted session. */
export async function loadFigures(
  sql: postgres.ISql,
  ref: SessionRef,
  context: number | null,
  clock: Clock,
): Promise<Figures | null> {
  const [loaded, contexts] = await Promise.all([
    loadSession(sql, ref.publicId, clock),
    listContexts(sql, ref, { chain: 'main' }),
  ]);
  if (!loaded) return null;
  const own = contexts.find(({ index }) => index === context);
  if (context !== null && !own) return null;
  const { points } = await loadSeries(sql, ref, { points: FINEST, ...rangeOf(own) });
  return figuresOf({ session: loaded.session, contexts, points, context });
}

/** Chart times of a context. The range may include points of other contexts. */
export function rangeOf(context: { startedAt: string | null; endedAt: string | null } | undefined): {
  from?: number;
  to?: number;
} {
  return {
    ...(context?.startedAt == null ? {} : { from: Date.parse(context.startedAt) }),
    ...(context?.endedAt == null ? {} : { to: Date.parse(context.endedAt) }),
  };
}
