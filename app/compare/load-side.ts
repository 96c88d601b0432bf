import { MOST_BOUNDARIES, pointsOf, type Side } from '@/components/features/compare/side-data';
import type { SideRef } from '@/components/sessions/compare-url';
import { BOUNDARY_KINDS } from '@/core/events/kinds';
import { listContexts } from '@/db/queries/contexts';
import { listSessionEvents } from '@/db/queries/events';
import { isDeletedSession } from '@/db/queries/find-session';
import { loadFigures, rangeOf } from '@/db/queries/load-figures';
import { loadSeries } from '@/db/queries/load-series';
import { loadSession } from '@/db/queries/load-session';
import { getSharedDb } from '@/db/shared-client';

/** One side of a comparison. An adopted session is replaced by its adopter. */
export async function loadSide(ref: SideRef | null): Promise<Side> {
  if (ref === null) return { type: 'empty' };
  const { sql, idleAfterMs } = getSharedDb();
  const clock = { nowMs: Date.now(), idleAfterMs };
  const loaded = await loadSession(sql, ref.session, clock);
  if (!loaded) {
    return { type: 'missing', ref, why: (await isDeletedSession(sql, ref.session)) ? 'deleted' : 'unknown' };
  }
  const { session } = loaded;
  const boundaries = { chain: 'main', kind: BOUNDARY_KINDS, order: 'asc', limit: MOST_BOUNDARIES } as const;
  const [contexts, { events }] = await Promise.all([
    listContexts(sql, loaded.ref, { chain: 'main' }),
    listSessionEvents(sql, loaded.ref, boundaries),
  ]);
  const { context } = ref;
  const own = contexts.find(({ index }) => index === context);
  const noContext = { type: 'missing', ref, why: 'context' } as const;
  if (context !== null && !own) return noContext;
  const [figures, series] = await Promise.all([
    loadFigures(sql, loaded.ref, context, clock),
    loadSeries(sql, loaded.ref, rangeOf(own)),
  ]);
  // A recomputation removed the context between the reads.
  if (figures === null) return noContext;
  const points = pointsOf(series.points, context);
  return { type: 'found', data: { session, context, contexts, events, points, figures } };
}
