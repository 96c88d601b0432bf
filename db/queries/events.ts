import type postgres from 'postgres';
import * as z from 'zod';
import {
  DEFAULT_LIMITS,
  type ListEventsParameters,
  type ListSessionEventsParameters,
} from '../../core/api/parameters';
import type { EventList } from '../../core/api/responses';
import type { EventKind } from '../../core/events/details';
import type { SessionEvent } from '../../core/events/event';
import { EVENT_KINDS } from '../../core/events/kinds';
import { isoText } from '../tables';
import { decodeCursor, pageOf } from './cursor';
import type { SessionRef } from './find-session';
import { allOf, hasWords } from './fragments';
import { requireChain } from './series/chain-places';
import { existing } from './session-row';

export type EventRow = SessionEvent & { position: number; rank: number; session: number };

const EVENT = `
  s.public_id || '.' || e.cause || '.' || e.kind as id, s.public_id as "sessionId", s.title as "sessionTitle",
  s.key as "sessionKey", p.name as project, ch.key as chain, e.context, ${isoText('e.at')} as at, e.turn,
  e.revision, e.kind, e.detail, e.position, e.rank, e.session_id as session`;

/** Events `e`, joined with the tables of their columns. Deleted and adopted sessions are left out. */
export function selectEvents(sql: postgres.ISql) {
  return sql`
    select ${sql.unsafe(EVENT)} from events e
    join sessions s on s.id = e.session_id and ${existing(sql)}
    join projects p on p.id = s.project_id
    join chains ch on ch.session_id = e.session_id and ch.chain = e.chain`;
}

/** Texts that a runner may send with an event, of any length. */
const TEXTS = ['checkpoint', 'prompt'] as const;
const LISTED_TEXT_LENGTH = 280;

/** As `toEvent`, for lists and the feed: long texts are cut, and `cut` holds their lengths. */
export function toListedEvent(row: EventRow): SessionEvent {
  const event = toEvent(row);
  if (event.kind !== 'restart') return event;
  const cut: Record<string, number> = {};
  const detail = { ...event.detail };
  for (const name of TEXTS) {
    const text = detail[name];
    if (text === undefined || text.length <= LISTED_TEXT_LENGTH) continue;
    cut[name] = text.length;
    // Do not cut a surrogate pair in half.
    const isHalf = (text.charCodeAt(LISTED_TEXT_LENGTH - 1) & 0xfc00) === 0xd800;
    detail[name] = text.slice(0, isHalf ? LISTED_TEXT_LENGTH - 1 : LISTED_TEXT_LENGTH);
  }
  return Object.keys(cut).length === 0 ? event : { ...event, detail, cut };
}

function toEvent({ position: _position, rank: _rank, session: _session, ...event }: EventRow): SessionEvent {
  return event;
}

/** Stable across recomputations: an event is (session, cause, kind). */
export function eventId(publicId: string, cause: string, kind: EventKind): string {
  return `${publicId}.${cause}.${kind}`;
}

const PLACE = { 'e.position': 'bigint', 'e.rank': 'smallint', 'e.kind collate "C"': 'text' };
const SMALLINT = z.int().min(-32_768).max(32_767);
const KIND = z.enum(EVENT_KINDS);
/** PostgreSQL has no year 0. */
const TIME = z.iso.datetime().refine((at) => at >= '0001');
/** Sort columns of the lists, with their types. */
const ORDERS = {
  events: {
    columns: { 'e.at': 'timestamptz', 'e.session_id': 'bigint', ...PLACE },
    key: z.tuple([TIME, z.int(), z.int(), SMALLINT, KIND]),
    keyOf: ({ at, session, position, rank, kind }: EventRow) => [at, session, position, rank, kind],
  },
  'session-events': {
    columns: PLACE,
    key: z.tuple([z.int(), SMALLINT, KIND]),
    keyOf: ({ position, rank, kind }: EventRow) => [position, rank, kind],
  },
};

async function readPage(
  sql: postgres.ISql,
  list: keyof typeof ORDERS,
  parameters: ListSessionEventsParameters,
  conditions: Parameters<typeof allOf>[1],
  toOne = toListedEvent,
): Promise<EventList> {
  const { kind, from, to, limit = DEFAULT_LIMITS.events } = parameters;
  const { columns, key, keyOf } = ORDERS[list];
  const orders = z.enum(['asc', 'desc']);
  const cursor = decodeCursor(parameters.cursor, z.object({ list: z.literal(list), order: orders, key }));
  const order = cursor?.order ?? parameters.order ?? 'desc';
  const names = Object.keys(columns);
  const than = Object.values(columns).map(
    (type, index) => sql`${cursor?.key[index] ?? null}::${sql.unsafe(type)}`,
  );
  const sign = sql.unsafe(order === 'asc' ? '>' : '<');
  const rows = await sql<EventRow[]>`
    ${selectEvents(sql)}
    where ${allOf(sql, [
      ...conditions,
      sql`not e.retracted`,
      kind && sql`e.kind = any(${kind})`,
      from !== undefined && sql`e.at >= ${new Date(from)}`,
      to !== undefined && sql`e.at <= ${new Date(to)}`,
      // A condition on the first column lets the planner use the index.
      cursor && sql`${sql.unsafe(names[0] ?? '')} ${sign}= ${than[0] ?? sql``}`,
      cursor &&
        sql`(${sql.unsafe(names.join(', '))}) ${sign} (${than.reduce((all, one) => sql`${all}, ${one}`)})`,
    ])}
    order by ${sql.unsafe(names.map((name) => `${name} ${order}`).join(', '))}
    limit ${limit + 1}`;
  const { page, nextCursor } = pageOf(rows, limit, (last) => ({ list, order, key: keyOf(last) }));
  return { events: page.map((row) => toOne(row)), nextCursor };
}

/** Events by time, newest first by default. @throws InvalidParameterError for a cursor of another list */
export function listEvents(sql: postgres.ISql, parameters: ListEventsParameters = {}): Promise<EventList> {
  const { project, scope, q } = parameters;
  return readPage(sql, 'events', parameters, [
    project && sql`p.name = any(${project})`,
    scope && (scope === 'main' ? sql`e.chain = 0` : sql`e.chain <> 0`),
    !!q?.trim() && hasWords(sql, q.trim(), sql`concat_ws(' ', s.title, s.key, p.name)`),
  ]);
}

/**
 * Events in the order of their items, newest first by default, and never thinned. Long texts are cut unless `whole` is
 * set.
 * @throws InvalidParameterError for a cursor of another list, or an unknown chain
 */
export async function listSessionEvents(
  sql: postgres.ISql,
  session: SessionRef,
  parameters: ListSessionEventsParameters = {},
  { whole = false } = {},
): Promise<EventList> {
  const { chain } = parameters;
  await requireChain(sql, session, chain);
  const conditions = [sql`e.session_id = ${session.id}`, chain !== undefined && sql`ch.key = ${chain}`];
  return readPage(sql, 'session-events', parameters, conditions, whole ? toEvent : toListedEvent);
}

const EVENT_ID =
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([a-z_]{1,40})$/;

/** The event of a session by its id, `<session>.<cause>.<kind>`; null: unknown or retracted. */
export async function findSessionEvent(
  sql: postgres.ISql,
  session: SessionRef,
  id: string,
): Promise<SessionEvent | null> {
  const [, , cause, kind] = EVENT_ID.exec(id) ?? [];
  if (cause === undefined || !EVENT_KINDS.some((known) => known === kind)) return null;
  const rows = await sql<EventRow[]>`
    ${selectEvents(sql)}
    where e.session_id = ${session.id} and not e.retracted
      and e.cause = ${cause} and e.kind = ${kind ?? ''}
    limit 1`;
  const event = rows[0] === undefined ? null : toEvent(rows[0]);
  return event?.id === id ? event : null;
}
