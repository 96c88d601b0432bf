import type postgres from 'postgres';
import type { EventList } from '@/core/api/responses';
import type { SessionRef } from '@/db/queries/find-session';
import { listSessionEvents } from '@/db/queries/list-session-events';

const NEWEST = 200;
/** A link to an event further back than this opens the session without it. */
const FURTHEST = 2_000;

/** The newest events of a session; more of them where the address names one that lies further back. */
export async function loadPageEvents(
  sql: postgres.ISql,
  ref: SessionRef,
  named: string | string[] | undefined,
): Promise<EventList> {
  const newest = await listSessionEvents(sql, ref, { limit: NEWEST });
  const holds = ({ events }: EventList) => events.some(({ id }) => id === named);
  if (named === undefined || newest.nextCursor === null || holds(newest)) return newest;
  const more = await listSessionEvents(sql, ref, { limit: FURTHEST });
  return holds(more) ? more : newest;
}
