import { MAIN_CHAIN } from './empty-fold';
import type { DerivedEvent, SessionFold } from './fold-types';
import { getOwn } from './own-record';
import { pressureOf, stateOf } from './state';
import { isNever } from './thresholds';
import type { Thresholds } from './types';

/** The share at which this session restarts: its own line, else the project's. */
export function restartLineOf(state: Readonly<SessionFold>, thresholds: Readonly<Thresholds>): number {
  return state.restartLine ?? thresholds.restartLine;
}

/** It lies ahead again: the value fell below it, or a new context began. */
export function forgetRestartLine(state: SessionFold): void {
  state.pastRestartLine = false;
  if (state.restartLinePassed !== undefined) state.restartLinePassed = null;
}

export interface StateChange {
  usedTokens: number | null;
  limitTokens: number | null;
  /** Chart time, milliseconds, context and number of the turn that moved it. */
  at: number;
  context: number;
  turn: number;
}

/**
 * State events of the main chain after a turn or reading: on the way up `state_changed`,
 * `approaching_redline`, `redlined`, in this order; on the way down `state_changed` alone. An unknown or
 * untracked value says nothing about the state, so it neither emits nor changes what is compared with.
 */
export function deriveStateEvents(
  state: SessionFold,
  thresholds: Readonly<Thresholds>,
  change: Readonly<StateChange>,
  into: DerivedEvent[],
): void {
  const { usedTokens, limitTokens, at, context, turn } = change;
  const pressure = pressureOf(usedTokens, limitTokens);
  if (pressure === null) return;
  const from = state.lastState;
  const to = stateOf(pressure, thresholds);
  const restartLine = restartLineOf(state, thresholds);
  const isPast = !isNever(restartLine) && pressure >= restartLine;

  const common = { chain: MAIN_CHAIN, context, at, turn };
  if (to !== from) into.push({ kind: 'state_changed', ...common, detail: { from, to, pressure } });
  if (isPast && !state.pastRestartLine) {
    into.push({ kind: 'approaching_redline', ...common, detail: { pressure } });
  }
  if (to === 'redlined' && from !== 'redlined') {
    into.push({ kind: 'redlined', ...common, detail: { used: usedTokens, limit: limitTokens } });
  }
  state.lastState = to;
  if (isPast && !state.pastRestartLine) {
    const mainTurns = getOwn(state.chains, MAIN_CHAIN)?.context.mainTurns ?? 0;
    state.restartLinePassed = { at, mainTurns };
  } else if (!isPast) forgetRestartLine(state);
  state.pastRestartLine = isPast;
}
