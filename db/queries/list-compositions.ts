import type postgres from 'postgres';
import type { ChainComposition } from '../../core/api/composition';
import type { ListContextsParameters } from '../../core/api/parameters';
import type { Composition } from '../../core/protocol/items';
import { TURN_BITS } from '../codes/turn-bits';
import type { SessionRef } from './find-session';
import { requireChain } from './series/find-chain';

interface CompositionRow {
  chain: string;
  context: number;
  turn: number;
  at: Date;
  composition: Composition;
}

/**
 * The newest composition of each chain that has one, the main chain's first. Newest by the place of its turn, which
 * may lie in a context that has ended.
 * @throws InvalidParameterError for a chain that the session has not
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
    join turns t on t.month = x.month and t.session_id = x.session_id and t.call_key = x.call_key
      and (t.bits & ${TURN_BITS.side}::int) = 0
    join chains ch on ch.month = t.month and ch.session_id = t.session_id and ch.chain = t.chain
    where x.month = ${session.month} and x.session_id = ${session.id} ${ofChain}
    order by t.chain, t.position desc`;
  return rows.map(({ at, composition, ...place }) => ({
    ...place,
    at: at.toISOString(),
    roles: composition.roles,
    suggestions: composition.suggestions,
    compression: composition.compression ?? null,
  }));
}
