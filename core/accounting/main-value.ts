/** What follows when a main turn or reading moved a chain: occupancies, growth, trace, state events. */
import type { ReadingBasis } from '../protocol/items';
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
  /** What the lens read before it, and on which basis the reading in force was then. */
  before: { used: number | null; basis: ReadingBasis | undefined };
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
  const { chainKey, time, before, isCall } = movement;
  const used = usedByLens(chain.context, state.lens);
  const cumulative = usedCumulative(chain.context);
  if (cumulative !== null) chain.lastKnown.cumulative = cumulative;
  // Growth across two bases means nothing; sums have but one.
  const isSameBasis = state.lens === 'cumulative' || before.basis === chain.context.reading?.basis;
  const usedBefore = isSameBasis ? before.used : null;
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
  context.peakOccupancy = Math.max(used, context.peakOccupancy ?? used);
}
