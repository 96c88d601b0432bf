import type postgres from 'postgres';
import type { ListContextsParameters } from '../../core/api/parameters';
import type { Context } from '../../core/api/session';
import type { SessionRef } from './find-session';
import { requireChain } from './series/find-chain';

/** Contexts one answer holds. */
const MAX_CONTEXTS = 10_000;

interface ContextRow {
  chain: string;
  index: number;
  startedAt: Date | null;
  endedAt: Date | null;
  endedBy: Context['endedBy'];
  turnCount: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
  calls: number;
  cumulativeInput: number;
  cumulativeOutput: number;
  cumulativeCacheRead: number;
  firstOccupancy: number | null;
  lastOccupancy: number | null;
  peakOccupancy: number | null;
  limitTokens: number | null;
  tracked: boolean;
  complete: boolean;
}

/**
 * Contexts of a session in order: the main chain's first, then each sub-agent's.
 * @throws InvalidParameterError for a chain that the session has not
 */
export async function listContexts(
  sql: postgres.ISql,
  session: SessionRef,
  parameters: ListContextsParameters = {},
): Promise<Context[]> {
  await requireChain(sql, session, parameters.chain);
  const ofChain = parameters.chain === undefined ? sql`` : sql`and ch.key = ${parameters.chain}`;
  const rows = await sql<ContextRow[]>`
    select ch.key as chain, c.index, c.started_at as "startedAt", c.ended_at as "endedAt",
      c.ended_by as "endedBy", c.turn_count as "turnCount", c.input, c.output, c.cache_read as "cacheRead",
      c.cache_creation as "cacheCreation", c.calls, c.cumulative_input as "cumulativeInput",
      c.cumulative_output as "cumulativeOutput", c.cumulative_cache_read as "cumulativeCacheRead",
      c.first_occupancy as "firstOccupancy", c.last_occupancy as "lastOccupancy",
      c.peak_occupancy as "peakOccupancy", c.limit_tokens as "limitTokens", c.tracked, c.complete
    from contexts c
    join chains ch on ch.month = c.month and ch.session_id = c.session_id and ch.chain = c.chain
    where c.month = ${session.month} and c.session_id = ${session.id} ${ofChain}
    order by c.chain, c.index
    limit ${MAX_CONTEXTS}`;
  return rows.map(toContext);
}

function toContext(row: ContextRow): Context {
  return {
    chain: row.chain,
    index: row.index,
    startedAt: row.startedAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
    endedBy: row.endedBy,
    turnCount: row.turnCount,
    totals: {
      input: row.input,
      output: row.output,
      cacheRead: row.cacheRead,
      cacheCreation: row.cacheCreation,
      calls: row.calls,
    },
    peakOccupancy: row.peakOccupancy,
    lastOccupancy: row.lastOccupancy,
    firstOccupancy: row.firstOccupancy,
    cumulative: {
      input: row.cumulativeInput,
      output: row.cumulativeOutput,
      cacheRead: row.cumulativeCacheRead,
    },
    limit: row.limitTokens,
    complete: row.complete,
    tracked: row.tracked,
  };
}
