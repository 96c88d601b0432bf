import type postgres from 'postgres';
import { lastCostly } from '@/components/session/select-event';
import { joinEvents, MARK_KINDS } from '@/components/session/session-events';
import type { EventDetails } from '@/core/api/responses';
import type { SessionEvent } from '@/core/api/session';
import type { SessionRef } from '@/db/queries/find-session';
import { findSessionEvent } from '@/db/queries/find-session-event';
import { listSessionEvents } from '@/db/queries/list-session-events';
import { loadEventDetails } from '@/db/queries/load-event-details';

/** More than the list shows at once. */
const NEWEST = 100;
/** Marks of one sheet that come with the page; the page reads the rest once it stands. */
const FIRST_MARKS = 150;

export interface PageEvents {
  /** The newest events, oldest first. */
  events: SessionEvent[];
  /** What the sheet draws marks for, and the event that the address names, wherever they lie; oldest first. */
  marks: SessionEvent[];
  /** There are marks before these. */
  moreMarks: boolean;
  /** Where older ones are read from; null: these are all. */
  olderCursor: string | null;
  /** Of the last compaction, so that its cost stands in the first picture; null: there was none. */
  details: EventDetails | null;
}

/** What the page begins with: the newest events, every mark of the sheet, and the event of the address. */
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
    listSessionEvents(sql, ref, { limit: FIRST_MARKS, kind: [...MARK_KINDS] }),
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
