import type postgres from 'postgres';
import type { ListEventsParameters } from '../../core/api/parameters';
import type { EventList } from '../../core/api/responses';
import type { EventKind, SessionEvent } from '../../core/api/session';

export interface EventRow {
  publicId: string;
  title: string | null;
  key: string;
  project: string;
  chain: string;
  sessionId: number;
  cause: string;
  kind: EventKind;
  position: number;
  rank: number;
  context: number;
  turn: number;
  at: Date;
  detail: Record<string, unknown>;
  revision: number;
}

/** Columns of an event `e` of session `s` in project `p` on chain `ch`, as `toEvent` reads them. */
export function eventColumns(sql: postgres.ISql) {
  return sql`
    s.public_id as "publicId", s.title, s.key, p.name as project, ch.key as chain, e.session_id as "sessionId",
    e.cause, e.kind, e.position, e.rank, e.context, e.turn, e.at, e.detail, e.revision`;
}

/** Events with what their columns come from. Deleted and adopted sessions have none to show. */
export function eventTables(sql: postgres.ISql) {
  return sql`
    events e
    join sessions s on s.id = e.session_id and s.deleted_at is null and s.adopted_by is null
    join projects p on p.id = s.project_id
    join chains ch on ch.month = e.month and ch.session_id = e.session_id and ch.chain = e.chain`;
}

/** The texts a runner may send with an event, each as long as it likes. */
const TEXTS = ['checkpoint', 'prompt'] as const;
/** Characters of such a text in a list: enough to know it by. */
export const LISTED_TEXT_LENGTH = 280;

/** As `toEvent`, for lists and the feed: long texts are cut, and `cut` says how long they are. */
export function toListedEvent(row: EventRow): SessionEvent {
  const event = toEvent(row);
  const cut: Record<string, number> = {};
  const detail = { ...event.detail };
  for (const name of TEXTS) {
    const text = detail[name];
    if (typeof text !== 'string' || text.length <= LISTED_TEXT_LENGTH) continue;
    cut[name] = text.length;
    detail[name] = beginning(text);
  }
  return Object.keys(cut).length === 0 ? event : { ...event, detail, cut };
}

/** Never half of a character. */
function beginning(text: string): string {
  const last = text.charCodeAt(LISTED_TEXT_LENGTH - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? LISTED_TEXT_LENGTH - 1 : LISTED_TEXT_LENGTH);
}

/** Whole, with all its texts. */
export function toEvent(row: EventRow): SessionEvent {
  return {
    id: eventId(row.publicId, row.cause, row.kind),
    sessionId: row.publicId,
    sessionTitle: row.title,
    sessionKey: row.key,
    project: row.project,
    chain: row.chain,
    context: row.context,
    kind: row.kind,
    at: row.at.toISOString(),
    turn: row.turn,
    detail: row.detail,
    revision: row.revision,
  };
}

/** The same for ever, also after a recomputation: an event is (session, cause, kind). */
export function eventId(publicId: string, cause: string, kind: EventKind): string {
  return `${publicId}.${cause}.${kind}`;
}

/** What every list of events can be narrowed by. What was retracted is in none. */
export function eventConditions(
  sql: postgres.ISql,
  { kind, from, to }: Pick<ListEventsParameters, 'kind' | 'from' | 'to'>,
) {
  return [
    sql`not e.retracted`,
    kind && sql`e.kind = any(${kind})`,
    from !== undefined && sql`e.at >= ${new Date(from)}`,
    to !== undefined && sql`e.at <= ${new Date(to)}`,
  ];
}

/** A page from rows that are one more than `limit` where there is a next one. */
export function toEventPage(
  rows: readonly EventRow[],
  limit: number,
  cursorAt: (last: EventRow) => string,
  toOne: (row: EventRow) => SessionEvent = toListedEvent,
): EventList {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { events: page.map(toOne), nextCursor: rows.length > limit && last ? cursorAt(last) : null };
}
