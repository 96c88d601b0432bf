/**
 * The newest end of a session, for a feed that sends what was added: the last turns of its main chain as
 * points, its last events, and sums that give away a change further back.
 */
import type postgres from 'postgres';
import type { SeriesPoint } from '../../core/api/series';
import type { SessionEvent } from '../../core/api/session';
import { totalsUpTo } from '../../core/series/running-totals';
import { turnPoints } from '../../core/series/turn-points';
import { TURN_BITS } from '../codes/turn-bits';
import { type EventRow, eventColumns, eventTables, toListedEvent } from './event-row';
import type { SessionRef } from './find-session';
import { findStanding } from './series/find-standing';
import { isCounted, ofChain, type SeriesTurnRow, seriesTurnColumns, toSeriesTurn } from './series/turn-rows';

export interface SessionTail {
  /** Points of the last turns in the session's lens, with the position of each turn; in order. */
  turns: { position: number; point: SeriesPoint }[];
  /** The last events that stand, in order. */
  events: SessionEvent[];
  /** Sums over the main chain's contexts. */
  sums: ChainSums;
  /** Events that stand, and the sum of their revisions. */
  eventCount: number;
  eventRevisions: number;
}

export interface ChainSums {
  turns: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
}

export interface TailOptions {
  /** Turns from this position on; null: only the last few. */
  from: number | null;
  /** Turns read at most, the newest of them. */
  maxTurns: number;
  /** Events read at most, the newest of them. */
  maxEvents: number;
}

export async function loadSessionTail(
  sql: postgres.ISql,
  session: SessionRef,
  { from, maxTurns, maxEvents }: TailOptions,
): Promise<SessionTail> {
  const chain = { month: session.month, sessionId: session.id, chain: 0 };
  const start = from === null ? sql`` : sql`and t.position >= ${from}`;
  const [rows, eventRows, [totals]] = await Promise.all([
    sql<SeriesTurnRow[]>`
      select ${seriesTurnColumns(sql)} from turns t
      where ${ofChain(sql, chain)} ${start}
        and (${isCounted(sql)} or (t.bits & ${TURN_BITS.readingUsed}::int) <> 0)
      order by t.position desc limit ${maxTurns}`,
    sql<EventRow[]>`
      select ${eventColumns(sql)} from ${eventTables(sql)}
      where e.month = ${session.month} and e.session_id = ${session.id} and not e.retracted
      order by e.position desc, e.rank desc, e.kind collate "C" desc limit ${maxEvents}`,
    sql<(ChainSums & { eventCount: number; eventRevisions: number })[]>`
      select c.*, e.* from (
        select coalesce(sum(turn_count), 0)::float8 as turns, coalesce(sum(input), 0)::float8 as input,
          coalesce(sum(output), 0)::float8 as output, coalesce(sum(cache_read), 0)::float8 as "cacheRead",
          coalesce(sum(cache_creation), 0)::float8 as "cacheCreation"
        from contexts
        where month = ${session.month} and session_id = ${session.id} and chain = 0
      ) c, (
        select count(*)::int as "eventCount", coalesce(sum(revision), 0)::int as "eventRevisions"
        from events
        where month = ${session.month} and session_id = ${session.id} and not retracted
      ) e`,
  ]);
  rows.reverse();
  const standing = session.lens === 'snapshot' ? await findStanding(sql, chain, rows[0]) : null;
  const { eventCount = 0, eventRevisions = 0, ...sums } = totals ?? NOTHING;
  const points = totalsUpTo(turnPoints(rows.map(toSeriesTurn), session.lens, standing), sums);
  return {
    // A point per row: the query left out the rows that make none.
    turns: rows.flatMap(({ position }, index) => {
      const point = points[index];
      return point ? [{ position, point }] : [];
    }),
    events: eventRows.map(toListedEvent).reverse(),
    sums,
    eventCount,
    eventRevisions,
  };
}

const NOTHING = {
  turns: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheCreation: 0,
  eventCount: 0,
  eventRevisions: 0,
};
