import type postgres from 'postgres';
import { lastCostly } from '@/components/features/session/select-event';
import { joinEvents } from '@/components/features/session/session-events';
import type { SessionPageData } from '@/components/features/session/use-session-data';
import type { SessionEvent } from '@/core/events/event';
import { DRAWN_KINDS } from '@/core/events/kinds';
import { findSessionEvent, listSessionEvents } from '@/db/queries/events';
import type { SessionRef } from '@/db/queries/find-session';
import { loadEventDetails } from '@/db/queries/load-event-details';

/** Number of events to load: more than the list shows at once. */
const NEWEST = 100;
/** Number of chart marks loaded with the page. The browser loads the rest later. */
const FIRST_MARKS = 150;

type PageEvents = Pick<SessionPageData, 'events' | 'marks' | 'moreMarks' | 'olderCursor' | 'details'>;

/** The newest events, the marks of the chart, the event named in the URL, and the cost of the last compaction. */
export async function loadPageEvents(
  sql: postgres.ISql,
  ref: SessionRef,
  named: string | undefined,
): Promise<PageEvents> {
  const { nextCursor: olderCursor, ...newest } = await listSessionEvents(sql, ref, { limit: NEWEST });
  const events = newest.events.toReversed();
  if (olderCursor === null) {
    return { events, marks: [], moreMarks: false, olderCursor, details: await loadCost(sql, events) };
  }
  const isHeld = named === undefined || events.some(({ id }) => id === named);
  const [drawn, linked] = await Promise.all([
    listSessionEvents(sql, ref, { limit: FIRST_MARKS, kind: DRAWN_KINDS }),
    isHeld ? null : findSessionEvent(sql, ref, named),
  ]);
  const marks = joinEvents([drawn.events.toReversed(), linked === null ? [] : [linked]]);
  const details = await loadCost(sql, joinEvents([marks, events]));
  return { events, marks, moreMarks: drawn.nextCursor !== null, olderCursor, details };
}

async function loadCost(sql: postgres.ISql, events: readonly SessionEvent[]) {
  const last = lastCostly(events);
  return last?.kind === 'compaction' ? loadEventDetails(sql, last.id) : null;
}
