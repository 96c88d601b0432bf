/** The newest turns and events of a session, for its feed. */
import type postgres from 'postgres';
import type { SeriesPoint } from '../../core/api/series';
import type { SessionEvent } from '../../core/events/event';
import { totalsUpTo } from '../../core/series/running-totals';
import { turnPoints } from '../../core/series/turn-points';
import { TURN_BITS } from '../codes/turn-bits';
import { READ_ONLY, transact } from '../transact';
import type { Clock } from './clock';
import { type EventRow, selectEvents, toListedEvent } from './events';
import type { SessionRef } from './find-session';
import { type LoadedSession, loadSession } from './load-session';
import {
  findStanding,
  isCounted,
  ofChain,
  SERIES_TURN,
  type SeriesTurnRow,
  toSeriesTurn,
} from './series/turn-rows';

export interface SessionTail {
  /** Points of the last turns in the session's lens, with the position of each turn; in order. */
  turns: { position: number; point: SeriesPoint }[];
  /** The last valid events, in order. */
  events: SessionEvent[];
  sums: ChainSums;
  /** Number of valid events, and the sum of their revisions. */
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
  maxTurns: number;
  maxEvents: number;
}

async function loadSessionTail(
  sql: postgres.ISql,
  session: SessionRef,
  { from, maxTurns, maxEvents }: TailOptions,
): Promise<SessionTail> {
  const chain = { sessionId: session.id, chain: 0 };
  const start = from === null ? sql`` : sql`and t.position >= ${from}`;
  const [rows, eventRows, [totals]] = await Promise.all([
    sql<SeriesTurnRow[]>`
      select ${sql.unsafe(SERIES_TURN)} from turns t
      where ${ofChain(sql, chain)} ${start}
        and (${isCounted(sql)} or (t.bits & ${TURN_BITS.readingUsed}::int) <> 0)
      order by t.position desc limit ${maxTurns}`,
    sql<EventRow[]>`
      ${selectEvents(sql)}
      where e.session_id = ${session.id} and not e.retracted
      order by e.position desc, e.rank desc, e.kind collate "C" desc limit ${maxEvents}`,
    sql<(ChainSums & { eventCount: number; eventRevisions: number })[]>`
      select c.*, e.* from (
        select coalesce(sum(turn_count), 0)::float8 as turns, coalesce(sum(input), 0)::float8 as input,
          coalesce(sum(output), 0)::float8 as output, coalesce(sum(cache_read), 0)::float8 as "cacheRead",
          coalesce(sum(cache_creation), 0)::float8 as "cacheCreation"
        from contexts
        where session_id = ${session.id} and chain = 0
      ) c, (
        select count(*)::int as "eventCount", coalesce(sum(revision), 0)::int as "eventRevisions"
        from events
        where session_id = ${session.id} and not retracted
      ) e`,
  ]);
  rows.reverse();
  const standing = session.lens === 'snapshot' ? await findStanding(sql, chain, rows[0]) : null;
  if (!totals) throw new TypeError('a sum has a row');
  const { eventCount, eventRevisions, ...sums } = totals;
  const points = totalsUpTo(turnPoints(rows.map(toSeriesTurn), session.lens, standing), sums);
  return {
    // Each row gives one point, because the query excludes rows without a point.
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

export interface SessionState extends LoadedSession {
  tail: SessionTail;
}

/** A session with its newest turns and events, in one snapshot of the database. Null: unknown id. */
export function loadSessionState(
  sql: postgres.Sql,
  publicId: string,
  options: TailOptions,
  clock: Clock,
): Promise<SessionState | null> {
  const read = async (tx: postgres.TransactionSql): Promise<SessionState | null> => {
    const loaded = await loadSession(tx, publicId, clock);
    if (!loaded) return null;
    return { ...loaded, tail: await loadSessionTail(tx, loaded.ref, options) };
  };
  return transact(sql, read, READ_ONLY);
}
