import type postgres from 'postgres';
import { PLACE } from '../../core/accounting/boundary-order';
import { COMPACTING_LASTS_MS } from '../../core/accounting/compacting';
import type { SessionSort } from '../../core/api/parameters';
import { LEAST_SILENCE_MS } from '../../core/forecast/silence';
import type { Clock } from './clock';
import { livenessExpression } from './session-filters';

/**
 * A list is ordered by (rank, value, id), all ascending: a descending value is negated, and what has no
 * value takes a rank behind the others. The three are what a cursor holds.
 */
export interface OrderKey {
  rank: ReturnType<postgres.ISql>;
  value: ReturnType<postgres.ISql>;
}

/** The direction that puts what matters first. */
export const NATURAL_ORDER: Record<SessionSort, 'asc' | 'desc'> = {
  boundary: 'asc',
  pressure: 'desc',
  rate: 'desc',
  lastTurn: 'desc',
  startedAt: 'desc',
  continuations: 'desc',
  used: 'desc',
};

/**
 * Order of sessions `s` in SQL. `rate` is not among them: it follows from the turns' growth and is sorted
 * where it is computed.
 */
export function orderKey(
  sql: postgres.ISql,
  sort: Exclude<SessionSort, 'rate'>,
  order: 'asc' | 'desc',
  clock: Clock,
): OrderKey {
  if (sort === 'boundary') return boundaryKey(sql, order, clock);
  const plain = {
    pressure: sql`s.pressure`,
    lastTurn: sql`extract(epoch from s.last_turn_at)`,
    startedAt: sql`extract(epoch from s.started_at)`,
    continuations: sql`(s.fold->>'continuations')::int`,
    used: sql`s.used`,
  }[sort];
  const sign = order === 'asc' ? 1 : -1;
  return {
    rank: sql`case when ${plain} is null then 1 else 0 end`,
    value: sql`coalesce(${sign}::float8 * ${plain}::float8, 0)`,
  };
}

/**
 * The order of core/accounting/boundary-order.ts; a test holds the two together. Who waits longest for a compaction before
 * the others, who counts down by minutes, the fullest first of those it is too early to say for, the latest turn first of
 * those that are not tracked or over.
 */
function boundaryKey(sql: postgres.ISql, order: 'asc' | 'desc', clock: Clock): OrderKey {
  const sign = order === 'asc' ? 1 : -1;
  const announced = announcedAt(sql, clock);
  const place = sql`
    case
      when ${livenessExpression(sql, clock)} = 'ended' then ${PLACE.ended}::int
      when ${livenessExpression(sql, clock)} = 'live' and ${announced} is not null then ${PLACE.compacting}::int
      when s.state = 'untracked' then ${PLACE.untracked}::int
      when ${livenessExpression(sql, clock)} = 'idle'
        then case when s.state = 'redlined' then ${PLACE.idleOver}::int else ${PLACE.idle}::int end
      when s.state = 'redlined' then ${PLACE.over}::int
      when s.minutes_left is not null
        then case when ${isSilent(sql, clock)} then ${PLACE.held}::int else ${PLACE.counting}::int end
      when s.state = 'unknown' then ${PLACE.unknown}::int
      else ${PLACE.early}::int
    end`;
  return {
    rank: sql`${sign}::int * ${place}`,
    value: sql`
      ${sign}::float8 * case ${place}
        when ${PLACE.compacting}::int then ${announced}
        when ${PLACE.counting}::int then s.minutes_left
        when ${PLACE.held}::int then s.minutes_left
        when ${PLACE.untracked}::int then -coalesce(extract(epoch from s.last_turn_at), 0)
        when ${PLACE.ended}::int then -coalesce(extract(epoch from s.last_turn_at), 0)
        else -coalesce(s.pressure, 0)
      end`,
  };
}

/** `silentFrom` of core/forecast/silence.ts in SQL. A session that was written before it was kept has the least. */
function isSilent(sql: postgres.ISql, { nowMs }: Clock) {
  return sql`
    s.last_turn_at + coalesce(s.silent_after_ms, ${LEAST_SILENCE_MS}::int) * interval '1 millisecond' <= ${new Date(nowMs)}`;
}

/**
 * When the compaction that is under way was announced, milliseconds; null: none is. `compacting` of core/accounting in
 * SQL. The chain's state tells, and only that of sessions with an announcement of the last minutes is opened: the chart's
 * time of one is never before its own.
 */
function announcedAt(sql: postgres.ISql, { nowMs }: Clock) {
  const since = nowMs - COMPACTING_LASTS_MS;
  return sql`(
    case when s.id in (
      select e.session_id from events e
      where e.at > ${new Date(since)} and e.kind = 'compaction' and e.chain = 0 and not e.retracted
    ) then (
      select (last->>'at')::float8
      from chains ch, lateral (select ch.fold->'compactions'->-1 as last, ch.fold->'context' as context) f
      where ch.month = s.month and ch.session_id = s.id and ch.chain = 0
        and last->>'state' = 'pending' and (last->>'turnSince')::boolean is not true
        and (last->>'at')::float8 > ${since}::float8
        and coalesce((last->>'at')::float8 >= (context->>'lastMainAt')::float8, true)
    ) end)`;
}
