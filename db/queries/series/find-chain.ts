import type postgres from 'postgres';
import type { SessionRef } from '../find-session';
import type { ChainRef } from './turn-rows';

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
