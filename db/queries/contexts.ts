/** Contexts of a session, and their composition. */
import type postgres from 'postgres';
import type { ChainComposition } from '../../core/api/composition';
import type { ListContextsParameters } from '../../core/api/parameters';
import type { Context } from '../../core/api/session';
import type { Composition } from '../../core/protocol/items';
import { TURN_BITS } from '../codes/turn-bits';
import type { SessionRef } from './find-session';
import { requireChain } from './series/chain-places';

/** Maximum of contexts in one answer. */
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
 * @throws InvalidParameterError for an unknown chain
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
    join chains ch on ch.session_id = c.session_id and ch.chain = c.chain
    where c.session_id = ${session.id} ${ofChain}
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

interface CompositionRow {
  chain: string;
  context: number;
  turn: number;
  at: Date;
  composition: Composition;
}

/**
 * The newest composition of each chain that has one, the main chain's first. Newest by the position of its
 * turn, which may be in an ended context.
 * @throws InvalidParameterError for an unknown chain
 */
export async function listCompositions(
  sql: postgres.ISql,
  session: SessionRef,
  parameters: ListContextsParameters = {},
): Promise<ChainComposition[]> {
  await requireChain(sql, session, parameters.chain);
  const ofChain = parameters.chain === undefined ? sql`` : sql`and ch.key = ${parameters.chain}`;
  const rows = await sql<CompositionRow[]>`
    select distinct on (t.chain) ch.key as chain, t.context, t.number as turn, t.chart_time as at, x.composition
    from compositions x
    join turns t on t.session_id = x.session_id and t.call_key = x.call_key
      and (t.bits & ${TURN_BITS.side}::int) = 0
    join chains ch on ch.session_id = t.session_id and ch.chain = t.chain
    where x.session_id = ${session.id} ${ofChain}
    order by t.chain, t.position desc`;
  return rows.map(({ at, composition, ...place }) => ({
    ...place,
    at: at.toISOString(),
    roles: composition.roles,
    suggestions: composition.suggestions,
    compression: composition.compression ?? null,
  }));
}
