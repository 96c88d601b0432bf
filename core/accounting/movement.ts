/** Effects of a main turn or reading on its chain: occupancies, growth, trace, state events. */
import { carryGrowth, recordTurn } from '../forecast/growth-record';
import type { ReadingBasis } from '../protocol/items';
import { pushTrace, TRACE_KIND } from '../series/recent-trace';
import type { SessionFold } from './fold-types';
import { usedCumulative } from './lens';
import { pressureOf, stateOf } from './state';
import type { Step } from './step';
import { isNever } from './thresholds';
import type { Thresholds } from './types';

const GROWTH_TURNS = 24;
const MINUTE = 60_000;

export interface ValueBefore {
  used: number | null;
  basis: ReadingBasis | undefined;
}

/** @param isCall false: a standalone reading, which counts as growth only if it changed the value */
export function followMovement(step: Step, before: ValueBefore, isCall: boolean): void {
  const { state, chain } = step;
  const { context } = chain;
  const used = step.used();
  const cumulative = usedCumulative(context);
  if (cumulative !== null) chain.lastKnown.cumulative = cumulative;
  // A difference between two bases is not growth. Sums have only one basis.
  const isSameBasis = state.lens === 'cumulative' || before.basis === context.reading?.basis;
  const usedBefore = isSameBasis ? before.used : null;
  if (isCall || used !== usedBefore) trackGrowth(step, usedBefore, used, isCall);
  if (used !== null) {
    context.firstOccupancy ??= used;
    context.lastOccupancy = used;
    context.peakOccupancy = Math.max(used, context.peakOccupancy ?? used);
  }
  if (!step.isMain) return;
  pushTrace(state.trace, step.time, used, TRACE_KIND.turn);
  emitStateEvents(step, used);
}

/**
 * Records the growth and the minutes since the previous main turn. The first turn of a context has no growth. In the
 * forecast, a standalone reading is part of the next turn's growth, or counts as a turn if there are only readings.
 */
function trackGrowth(
  { chain, time }: Step,
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
  // A drop may be an unreported compaction.
  if (isCall) chain.passed = Math.max(chain.passed, Math.min(usedBefore, usedAfter));
  if (isCall || mainTurns === 0) recordTurn(chain.record, minutes, tokens);
  else carryGrowth(chain.record, minutes, tokens);
}

/**
 * Emits the state events of the main chain. A rise emits `state_changed`, `approaching_redline` and `redlined`, in this
 * order. A fall emits only `state_changed`. An unknown or untracked value emits nothing.
 */
function emitStateEvents(step: Step, used: number | null): void {
  const { state, chain, thresholds } = step;
  const limit = chain.limit.tokens;
  const pressure = pressureOf(used, limit);
  if (pressure === null) return;
  const from = state.lastState;
  const to = stateOf(pressure, thresholds);
  const restartLine = restartLineOf(state, thresholds);
  const isPast = !isNever(restartLine) && pressure >= restartLine;
  const isCrossed = isPast && !state.pastRestartLine;

  if (to !== from) step.emit({ kind: 'state_changed', detail: { from, to, pressure } });
  if (isCrossed) step.emit({ kind: 'approaching_redline', detail: { pressure } });
  if (to === 'redlined' && from !== 'redlined') step.emit({ kind: 'redlined', detail: { used, limit } });
  state.lastState = to;
  if (isCrossed) state.restartLinePassed = { at: step.time, mainTurns: chain.context.mainTurns };
  state.pastRestartLine = isPast;
}

export function restartLineOf(state: Readonly<SessionFold>, thresholds: Readonly<Thresholds>): number {
  return state.restartLine ?? thresholds.restartLine;
}

export function forgetRestartLine(state: SessionFold): void {
  state.pastRestartLine = false;
  state.restartLinePassed = null;
}
