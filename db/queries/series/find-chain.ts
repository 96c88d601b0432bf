import type postgres from 'postgres';
import type { SessionRef } from '../find-session';
import { InvalidParameterError } from '../invalid-parameter-error';
import type { ChainRef } from './turn-rows';

/** The chain that every session has, also while nothing was said in it. */
export const MAIN_CHAIN = 'main';

export interface ChainExtent extends ChainRef {
  /** Counted turns: the number of its last one. */
  turnCount: number;
}

/** A chain of a session by its key; null: it has none of that name (yet). */
export async function findChain(
  sql: postgres.ISql,
  session: SessionRef,
  key: string,
): Promise<ChainExtent | null> {
  const rows = await sql<ChainExtent[]>`
    select month, session_id as "sessionId", chain, coalesce((fold->>'turnCount')::int, 0) as "turnCount"
    from chains
    where month = ${session.month} and session_id = ${session.id} and key = ${key}`;
  return rows[0] ?? null;
}

export function unknownChain(): InvalidParameterError {
  return new InvalidParameterError('chain', 'names no chain of this session; /contexts lists them');
}

/** @throws InvalidParameterError for the key of a chain that the session has not: a list of nothing would hide it. */
export async function requireChain(
  sql: postgres.ISql,
  session: SessionRef,
  key: string | undefined,
): Promise<void> {
  if (key === undefined || key === MAIN_CHAIN) return;
  if (!(await findChain(sql, session, key))) throw unknownChain();
}
