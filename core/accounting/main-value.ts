/** What follows when a main turn or reading moved a chain: occupancies, growth, trace, state events. */
import { carryGrowth, emptyGrowthRecord, recordTurn } from '../forecast/growth-record';
import type { ReadingBasis } from '../protocol/items';
import { pushTrace, TRACE_KIND } from '../series/recent-trace';
import { deriveStateEvents } from './derive-events';
import { MAIN_CHAIN } from './empty-fold';
import type { ChainFold, DerivedEvent, FoldContext, SessionFold } from './fold-types';
import { usedByLens, usedCumulative } from './lens';

/** Growths a chain remembers: enough for a rate, few enough to store with each batch. */
const GROWTH_TURNS = 24;
const MINUTE = 60_000;

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

/**
 * Record by how much the lens grew with a main turn, and how long after the one before it (minutes). The
 * first turn of a context has no turn before it: its tokens are the context's beginning, not growth.
 *
 * @param isCall a turn; otherwise a reading on its own, which the next turn's growth includes. In a session
 * that has readings alone, each of them is a step.
 */
function trackGrowth(
  chain: ChainFold,
  time: number,
  usedBefore: number | null,
  usedAfter: number | null,
  isCall: boolean,
): void {
  const { lastMainAt, mainTurns } = chain.context;
  chain.context.lastMainAt = time;
  if (lastMainAt === null || usedBefore === null || usedAfter === null) return;
  const minutes = (time - lastMainAt) / MINUTE;
  const tokens = usedAfter - usedBefore;
  chain.growth.push([minutes, tokens]);
  if (chain.growth.length > GROWTH_TURNS) chain.growth.shift();
  chain.record ??= emptyGrowthRecord();
  if (isCall || mainTurns === 0) recordTurn(chain.record, minutes, tokens);
  else carryGrowth(chain.record, minutes, tokens);
}
