import type { ChainFold, DerivedTurn } from './fold-types';
import { usedCumulative, usedSnapshot } from './lens';
import type { Limit } from './limit';
import type { TurnFlags } from './types';

/** The columns of a row that follow from its chain after it. */
export function deriveTurn(
  chainKey: string,
  chain: Readonly<ChainFold>,
  limit: Readonly<Limit>,
  time: number,
  flags: TurnFlags,
): DerivedTurn {
  const { context } = chain;
  const { input, output, cacheRead } = context.cumulative;
  return {
    chain: chainKey,
    context: context.index,
    number: chain.turnCount,
    cumulative: { input, output, cacheRead },
    limit: limit.tokens,
    limitSource: limit.source,
    flags,
    time,
    usedCumulative: usedCumulative(context),
    usedSnapshot: usedSnapshot(context),
  };
}
