import type postgres from 'postgres';
import type { SessionSort } from '../../core/api/parameters';
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
 * Over limit first, then by minutes to the next boundary, then those it is too early to say for (the
 * fullest first), unknown, idle, not tracked, ended.
 */
function boundaryKey(sql: postgres.ISql, order: 'asc' | 'desc', clock: Clock): OrderKey {
  const sign = order === 'asc' ? 1 : -1;
  const rank = sql`
    case
      when ${livenessExpression(sql, clock)} = 'ended' then 6
      when s.state = 'untracked' then 5
      when ${livenessExpression(sql, clock)} = 'idle' then 4
      when s.state = 'redlined' then 0
      when s.minutes_left is not null then 1
      when s.state = 'unknown' then 3
      else 2
    end`;
  return {
    rank: sql`${sign}::int * ${rank}`,
    value: sql`
      ${sign}::float8 * case when ${rank} = 1 then s.minutes_left else -coalesce(s.pressure, 0) end`,
  };
}
