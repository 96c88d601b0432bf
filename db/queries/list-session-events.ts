import type postgres from 'postgres';
import { z } from 'zod';
import { DEFAULT_LIMITS, type ListSessionEventsParameters } from '../../core/api/parameters';
import type { EventList } from '../../core/api/responses';
import { allOf } from './conditions';
import { decodeCursor, encodeCursor } from './cursor';
import {
  type EventRow,
  eventColumns,
  eventConditions,
  eventTables,
  toEvent,
  toEventPage,
  toListedEvent,
} from './event-row';
import type { SessionRef } from './find-session';
import { requireChain } from './series/find-chain';

const cursorShape = z.object({
  list: z.literal('session-events'),
  order: z.enum(['asc', 'desc']),
  key: z.tuple([z.number(), z.number(), z.string()]),
});

/**
 * Events of one session in the order of its items (time never orders), the newest first unless `order` is
 * `asc`. Every event is there: events are never thinned. Long texts are cut unless `whole` is set, as a file has them.
 * @throws InvalidParameterError for a cursor of another list, or a chain that the session has not
 */
export async function listSessionEvents(
  sql: postgres.ISql,
  session: SessionRef,
  parameters: ListSessionEventsParameters = {},
  { whole = false } = {},
): Promise<EventList> {
  const { chain, order = 'desc', limit = DEFAULT_LIMITS.events } = parameters;
  await requireChain(sql, session, parameters.chain);
  const cursor = parameters.cursor === undefined ? null : decodeCursor(parameters.cursor, cursorShape);
  const direction = cursor?.order ?? order;
  const forward = direction === 'asc';
  const key = sql`(e.position, e.rank, e.kind collate "C")`;
  const conditions = allOf(sql, [
    sql`e.month = ${session.month} and e.session_id = ${session.id}`,
    ...eventConditions(sql, parameters),
    chain !== undefined && sql`ch.key = ${chain}`,
    cursor &&
      sql`${key} ${forward ? sql`>` : sql`<`} (${cursor.key[0]}::bigint, ${cursor.key[1]}::smallint, ${cursor.key[2]}::text)`,
  ]);
  const way = forward ? sql`asc` : sql`desc`;
  const rows = await sql<EventRow[]>`
    select ${eventColumns(sql)}
    from ${eventTables(sql)}
    where ${conditions}
    order by e.position ${way}, e.rank ${way}, e.kind collate "C" ${way}
    limit ${limit + 1}`;
  return toEventPage(
    rows,
    limit,
    (last) =>
      encodeCursor({
        list: 'session-events',
        order: direction,
        key: [last.position, last.rank, last.kind],
      }),
    whole ? toEvent : toListedEvent,
  );
}
