import type postgres from 'postgres';
import { EVENT_KINDS } from '../../core/api/event-kinds';
import type { SessionEvent } from '../../core/api/session';
import { type EventRow, eventColumns, eventTables, toEvent } from './event-row';
import type { SessionRef } from './find-session';

const EVENT_ID =
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([a-z_]{1,40})$/;

/** The event of a session by its id, `<session>.<cause>.<kind>`; null: it has none, or it was retracted. */
export async function findSessionEvent(
  sql: postgres.ISql,
  session: SessionRef,
  id: string,
): Promise<SessionEvent | null> {
  const [, , cause, kind] = EVENT_ID.exec(id) ?? [];
  if (cause === undefined || !EVENT_KINDS.some((known) => known === kind)) return null;
  const rows = await sql<EventRow[]>`
    select ${eventColumns(sql)}
    from ${eventTables(sql)}
    where e.month = ${session.month} and e.session_id = ${session.id} and not e.retracted
      and e.cause = ${cause} and e.kind = ${kind ?? ''}
    limit 1`;
  const event = rows[0] === undefined ? null : toEvent(rows[0]);
  return event?.id === id ? event : null;
}
