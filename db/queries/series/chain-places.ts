import type postgres from 'postgres';
import type { SessionRef } from '../find-session';
import { InvalidParameterError } from '../invalid-parameter-error';
import { type ChainRef, isCounted, ofChain } from './turn-rows';

/** The chain that every session has, even without turns. */
export const MAIN_CHAIN = 'main';

export interface ChainExtent extends ChainRef {
  /** Number of counted turns, which is also the number of the last turn. */
  turnCount: number;
}

/** A chain of a session by its key; null: unknown key. */
export async function findChain(
  sql: postgres.ISql,
  session: SessionRef,
  key: string,
): Promise<ChainExtent | null> {
  const rows = await sql<ChainExtent[]>`
    select session_id as "sessionId", chain, coalesce((fold->>'turnCount')::int, 0) as "turnCount"
    from chains
    where session_id = ${session.id} and key = ${key}`;
  return rows[0] ?? null;
}

export function unknownChain(): InvalidParameterError {
  return new InvalidParameterError('chain', 'names no chain of this session; /contexts lists them');
}

/** @throws InvalidParameterError for an unknown chain: an empty list would hide the mistake. */
export async function requireChain(
  sql: postgres.ISql,
  session: SessionRef,
  key: string | undefined,
): Promise<void> {
  if (key === undefined || key === MAIN_CHAIN) return;
  if (!(await findChain(sql, session, key))) throw unknownChain();
}

export interface PositionAtTime {
  position: number;
  turnsBefore: number;
}

/** The first turn of a chain with a chart time at or after `atMs`. Null: no such turn. */
export function findPosition(
  sql: postgres.ISql,
  chain: ChainRef,
  atMs: number,
): Promise<PositionAtTime | null> {
  return findFirst(sql, chain, sql`t.chart_time < ${new Date(atMs)}`);
}

/** The first row of a chain with a turn number of at least `turn`. Null: no such row. */
export function findTurn(sql: postgres.ISql, chain: ChainRef, turn: number): Promise<PositionAtTime | null> {
  return findFirst(sql, chain, sql`t.number < ${turn}`);
}

/**
 * The first turn for which `isBefore` is false. Chart time and number never decrease along a chain, so a binary search
 * on the primary key finds the turn with about forty look-ups and without another index.
 */
async function findFirst(
  sql: postgres.ISql,
  chain: ChainRef,
  isBefore: postgres.PendingQuery<postgres.Row[]>,
): Promise<PositionAtTime | null> {
  const rows = await sql<PositionAtTime[]>`
    with recursive search (low, high, position, turns_before) as (
      (
        select 0::bigint, t.position + 1, null::bigint, null::int
        from turns t where ${ofChain(sql, chain)} order by t.position desc limit 1
      )
      union all
      select
        case when probe.is_before then probe.position + 1 else s.low end,
        case when probe.is_before then s.high else s.low + (s.high - s.low) / 2 end,
        case when not probe.is_before then probe.position else s.position end,
        case when not probe.is_before then probe.turns_before else s.turns_before end
      from search s
      left join lateral (
        select t.position, ${isBefore} as is_before,
          t.number - case when ${isCounted(sql)} then 1 else 0 end as turns_before
        from turns t
        where ${ofChain(sql, chain)} and t.position >= s.low + (s.high - s.low) / 2 and t.position < s.high
        order by t.position limit 1
      ) probe on true
      where s.low < s.high
    )
    select position, turns_before as "turnsBefore" from search where low >= high and position is not null limit 1`;
  return rows[0] ?? null;
}
