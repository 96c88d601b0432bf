import type postgres from 'postgres';
import { lastCostly } from '@/components/features/session/select-event';
import { joinEvents } from '@/components/features/session/session-events';
import type { EventDetails } from '@/core/api/responses';
import type { SessionEvent } from '@/core/events/event';
import { DRAWN_KINDS } from '@/core/events/kinds';
import { findSessionEvent, listSessionEvents } from '@/db/queries/events';
import type { SessionRef } from '@/db/queries/find-session';
import { loadEventDetails } from '@/db/queries/load-event-details';

/** More than the list shows at once. */
const NEWEST = 100;
/** Marks loaded with the page; it loads the rest later. */
const FIRST_MARKS = 150;

export interface PageEvents {
  /** The newest events, oldest first. */
  events: SessionEvent[];
  /** Events with marks on the chart, and the event named in the address; oldest first. */
  marks: SessionEvent[];
  /** There are marks before these. */
  moreMarks: boolean;
  /** Cursor of older events; null: these are all. */
  olderCursor: string | null;
  /** Of the last compaction, so that its cost is in the first view; null: there was none. */
  details: EventDetails | null;
}

/**
 * Events loaded with the page: the newest ones, the marks of the chart, and the event named in the address.
 */
export async function loadPageEvents(
  sql: postgres.ISql,
  ref: SessionRef,
  named: string | undefined,
): Promise<PageEvents> {
  const newest = await listSessionEvents(sql, ref, { limit: NEWEST });
  const events = newest.events.toReversed();
  if (newest.nextCursor === null) {
    return { events, marks: [], moreMarks: false, olderCursor: null, details: await loadCost(sql, events) };
  }
  const isHeld = named === undefined || events.some(({ id }) => id === named);
  const [drawn, linked] = await Promise.all([
    listSessionEvents(sql, ref, { limit: FIRST_MARKS, kind: DRAWN_KINDS }),
    isHeld ? null : findSessionEvent(sql, ref, named),
  ]);
  const marks = joinEvents([drawn.events.toReversed(), linked === null ? [] : [linked]]);
  const details = await loadCost(sql, joinEvents([marks, events]));
  return { events, marks, moreMarks: drawn.nextCursor !== null, olderCursor: newest.nextCursor, details };
}

function loadCost(sql: postgres.ISql, events: readonly SessionEvent[]): Promise<EventDetails | null> {
  const last = lastCostly(events);
  return last?.kind === 'compaction' ? loadEventDetails(sql, last.id) : Promise.resolve(null);
}
