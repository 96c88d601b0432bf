import type postgres from 'postgres';
import type { ChainComposition } from '../../core/api/composition';
import type { ListContextsParameters } from '../../core/api/parameters';
import type { Context } from '../../core/api/session';
import { TURN_BITS } from '../codes/turn-bits';
import { contexts } from '../schema/chains';
import { columnsText, isoText } from '../tables';
import type { SessionRef } from './find-session';
import { requireChain } from './series/chain-places';

const MAX_CONTEXTS = 10_000;

const CONTEXT = `
  ch.key as chain, ${columnsText(
    contexts,
    'c',
    [
      'index',
      'startedAt',
      'endedAt',
      'endedBy',
      'turnCount',
      'peakOccupancy',
      'lastOccupancy',
      'firstOccupancy',
      'complete',
      'tracked',
    ],
    'iso',
  )}, c.limit_tokens as limit,
  json_build_object('input', c.input, 'output', c.output, 'cacheRead', c.cache_read,
    'cacheCreation', c.cache_creation, 'calls', c.calls) as totals,
  json_build_object('input', c.cumulative_input, 'output', c.cumulative_output,
    'cacheRead', c.cumulative_cache_read) as cumulative`;

/**
 * Contexts of the main chain first, then each sub-agent's contexts. @throws InvalidParameterError for an unknown chain
 */
export async function listContexts(
  sql: postgres.ISql,
  session: SessionRef,
  { chain }: ListContextsParameters = {},
): Promise<Context[]> {
  await requireChain(sql, session, chain);
  return sql<Context[]>`
    select ${sql.unsafe(CONTEXT)}
    from contexts c
    join chains ch on ch.session_id = c.session_id and ch.chain = c.chain
    where c.session_id = ${session.id} and ${chain === undefined ? sql`true` : sql`ch.key = ${chain}`}
    order by c.chain, c.index
    limit ${MAX_CONTEXTS}`;
}

/**
 * The newest composition of each chain by the position of its turn. @throws InvalidParameterError for an unknown
 * chain
 */
export async function listCompositions(
  sql: postgres.ISql,
  session: SessionRef,
  { chain }: ListContextsParameters = {},
): Promise<ChainComposition[]> {
  await requireChain(sql, session, chain);
  return sql<ChainComposition[]>`
    select distinct on (t.chain) ch.key as chain, t.context, t.number as turn,
      ${sql.unsafe(isoText('t.chart_time'))} as at, x.composition->'roles' as roles,
      x.composition->'suggestions' as suggestions, x.composition->'compression' as compression
    from compositions x
    join turns t on t.session_id = x.session_id and t.call_key = x.call_key
      and (t.bits & ${TURN_BITS.side}::int) = 0
    join chains ch on ch.session_id = t.session_id and ch.chain = t.chain
    where x.session_id = ${session.id} and ${chain === undefined ? sql`true` : sql`ch.key = ${chain}`}
    order by t.chain, t.position desc`;
}
