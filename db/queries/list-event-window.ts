import type postgres from 'postgres';
import type { SessionEvent } from '../../core/api/session';
import { allOf } from './conditions';
import { type EventRow, eventColumns, eventTables, toListedEvent } from './event-row';

/** Type of a list of uuids. */
const UUID_ARRAY = 2951;

export interface EventWindow {
  /** Not before, ISO 8601; null: from the beginning. */
  from: string | null;
  /** Of these sessions alone, public ids; null: of all. */
  sessionIds: readonly string[] | null;
  /** Events at most, the newest of them. */
  limit: number;
}

/** The newest events that stand, the newest first: what a feed compares with what it sent. */
export async function listEventWindow(
  sql: postgres.ISql,
  { from, sessionIds, limit }: EventWindow,
): Promise<SessionEvent[]> {
  const conditions = allOf(sql, [
    sql`not e.retracted`,
    from !== null && sql`e.at >= ${new Date(from)}`,
    sessionIds && sql`s.public_id = any(${sql.array([...sessionIds], UUID_ARRAY)})`,
  ]);
  const rows = await sql<EventRow[]>`
    select ${eventColumns(sql)}
    from ${eventTables(sql)}
    where ${conditions}
    order by e.at desc, e.session_id desc, e.position desc, e.rank desc, e.kind collate "C" desc
    limit ${limit}`;
  return rows.map(toListedEvent);
}
