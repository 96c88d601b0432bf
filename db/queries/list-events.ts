import type postgres from 'postgres';
import { z } from 'zod';
import { DEFAULT_LIMITS, type ListEventsParameters } from '../../core/api/parameters';
import type { EventList } from '../../core/api/responses';
import { allOf, hasWords } from './conditions';
import { decodeCursor, encodeCursor } from './cursor';
import { type EventRow, eventColumns, eventConditions, eventTables, toEventPage } from './event-row';

const cursorShape = z.object({
  list: z.literal('events'),
  order: z.enum(['asc', 'desc']),
  /** Milliseconds, session, position, rank, kind. */
  key: z.tuple([z.number(), z.number(), z.number(), z.number(), z.string()]),
});

/**
 * Events of all sessions by time, the newest first unless `order` is `asc`; equal times by session and
 * position.
 * @throws InvalidParameterError for a cursor of another list
 */
export async function listEvents(
  sql: postgres.ISql,
  parameters: ListEventsParameters = {},
): Promise<EventList> {
  const { project, scope, q, order = 'desc', limit = DEFAULT_LIMITS.events } = parameters;
  const cursor = parameters.cursor === undefined ? null : decodeCursor(parameters.cursor, cursorShape);
  const direction = cursor?.order ?? order;
  const forward = direction === 'asc';
  const conditions = allOf(sql, [
    ...eventConditions(sql, parameters),
    project && sql`p.name = any(${project})`,
    scope && (scope === 'main' ? sql`e.chain = 0` : sql`e.chain <> 0`),
    !!q?.trim() && hasWords(sql, q.trim(), sql`concat_ws(' ', s.title, s.key, p.name)`),
    cursor && behind(sql, cursor.key, forward),
  ]);
  const way = forward ? sql`asc` : sql`desc`;
  const rows = await sql<EventRow[]>`
    select ${eventColumns(sql)}
    from ${eventTables(sql)}
    where ${conditions}
    order by e.at ${way}, e.session_id ${way}, e.position ${way}, e.rank ${way}, e.kind collate "C" ${way}
    limit ${limit + 1}`;
  return toEventPage(rows, limit, (last) =>
    encodeCursor({
      list: 'events',
      order: direction,
      key: [last.at.getTime(), last.sessionId, last.position, last.rank, last.kind],
    }),
  );
}

/** Rows behind a key. The first half repeats the time alone, because that is what the index knows. */
function behind(sql: postgres.ISql, key: z.infer<typeof cursorShape>['key'], forward: boolean) {
  const at = new Date(key[0]);
  const [, session, position, rank, kind] = key;
  const row = sql`(e.at, e.session_id, e.position, e.rank, e.kind collate "C")`;
  const than = sql`(${at}::timestamptz, ${session}::int, ${position}::bigint, ${rank}::smallint, ${kind}::text)`;
  return forward ? sql`e.at >= ${at} and ${row} > ${than}` : sql`e.at <= ${at} and ${row} < ${than}`;
}
