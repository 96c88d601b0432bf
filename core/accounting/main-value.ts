/** What follows when a main turn or reading moved a chain: occupancies, growth, trace, state events. */
import { pushTrace, TRACE_KIND } from '../series/recent-trace';
import { deriveStateEvents } from './derive-events';
import { MAIN_CHAIN } from './empty-fold';
import type { ChainFold, DerivedEvent, FoldContext, SessionFold } from './fold-types';
import { usedByLens, usedCumulative } from './lens';
import { trackGrowth } from './track-growth';

export interface Movement {
  chainKey: string;
  /** Chart time, milliseconds. */
  time: number;
  /** The lens before the turn; null where growth across it means nothing (unknown, or another basis). */
  usedBefore: number | null;
  /** A reading on its own counts as growth only where it moved the value. */
  isCall: boolean;
}

export function followMovement(
  state: SessionFold,
  chain: ChainFold,
  movement: Readonly<Movement>,
  context: FoldContext,
  into: DerivedEvent[],
): void {
  const { chainKey, time, usedBefore, isCall } = movement;
  const used = usedByLens(chain.context, state.lens);
  const cumulative = usedCumulative(chain.context);
  if (cumulative !== null) chain.lastKnown.cumulative = cumulative;
  if (isCall || used !== usedBefore) trackGrowth(chain, time, usedBefore, used, isCall);
  if (used !== null) noteOccupancy(chain, used);
  if (chainKey !== MAIN_CHAIN) return;
  pushTrace(state.trace, time, used, TRACE_KIND.turn);
  deriveStateEvents(
    state,
    context.thresholds,
    {
      usedTokens: used,
      limitTokens: chain.limit.tokens,
      at: time,
      context: chain.context.index,
      turn: chain.turnCount,
    },
    into,
  );
}

/** First, last and peak occupancy of a context, by the session's lens. */
function noteOccupancy(chain: ChainFold, used: number): void {
  const { context } = chain;
  context.firstOccupancy ??= used;
  context.lastOccupancy = used;
  if (context.peakOccupancy === null || used > context.peakOccupancy) context.peakOccupancy = used;
}
