/**
 * The state machine of one alert: pending, then firing, then resolved. Pure: the caller passes the time and stores the
 * state. Times are milliseconds.
 */
import { earliest } from './conditions';
import type { RuleDefinition } from './rule';

export interface AlertState {
  phase: 'pending' | 'firing';
  /** Start of the condition. */
  since: number;
  firedAt: number | null;
  /** When the condition ended; null: it holds. */
  clearSince: number | null;
  lastSentAt: number | null;
  isAcknowledged: boolean;
}

type Timing = Pick<RuleDefinition, 'forSeconds' | 'resolveSeconds' | 'repeatMinutes'>;

export const ALERT_CHANGES = ['fired', 'repeated', 'resolved'] as const;
type AlertChange = (typeof ALERT_CHANGES)[number];

export interface AlertStep {
  /** Null: there is no alert, or the alert is resolved. */
  state: AlertState | null;
  change: AlertChange | null;
  /** When time alone changes the alert, later than `now`; null: never. */
  dueAt: number | null;
}

/** @param holds null: unknown, which counts as unchanged */
export function stepAlert(
  rule: Timing,
  before: AlertState | null,
  holds: boolean | null,
  now: number,
): AlertStep {
  const isOn = holds ?? (before !== null && before.clearSince === null);
  if (before === null) {
    return isOn ? pend(rule, { ...NEW, since: now }, now) : { state: null, change: null, dueAt: null };
  }
  if (before.phase === 'pending') {
    return isOn ? pend(rule, before, now) : { state: null, change: null, dueAt: null };
  }
  return isOn ? fire(rule, { ...before, clearSince: null }, now) : clear(rule, before, now);
}

/**
 * An alert of an event: it fires at once, and resolves after `resolveSeconds`.
 * @param before null: the event is new
 */
export function stepEventAlert(rule: Timing, before: AlertState | null, now: number): AlertStep {
  const state = before ?? { ...NEW, phase: 'firing', since: now, firedAt: now, lastSentAt: now };
  const ends = (state.firedAt ?? now) + rule.resolveSeconds * 1_000;
  if (before !== null && now >= ends) return { state: null, change: 'resolved', dueAt: null };
  const { change, dueAt, state: next } = fire(rule, state, now);
  return {
    state: next,
    change: before === null ? 'fired' : change,
    dueAt: earliest(dueAt, Math.max(ends, now + 1)),
  };
}

const NEW: AlertState = {
  phase: 'pending',
  since: 0,
  firedAt: null,
  clearSince: null,
  lastSentAt: null,
  isAcknowledged: false,
};

function pend(rule: Timing, state: AlertState, now: number): AlertStep {
  const fires = state.since + rule.forSeconds * 1_000;
  if (now < fires) return { state, change: null, dueAt: fires };
  const firing: AlertState = { ...state, phase: 'firing', firedAt: now, lastSentAt: now };
  return { ...fire(rule, firing, now), change: 'fired' };
}

function fire(rule: Timing, state: AlertState, now: number): AlertStep {
  if (rule.repeatMinutes === null || state.isAcknowledged) return { state, change: null, dueAt: null };
  const pause = rule.repeatMinutes * 60_000;
  const due = (state.lastSentAt ?? now) + pause;
  if (now < due) return { state, change: null, dueAt: due };
  return { state: { ...state, lastSentAt: now }, change: 'repeated', dueAt: now + pause };
}

function clear(rule: Timing, before: AlertState, now: number): AlertStep {
  const state = { ...before, clearSince: before.clearSince ?? now };
  const ends = state.clearSince + rule.resolveSeconds * 1_000;
  if (now >= ends) return { state: null, change: 'resolved', dueAt: null };
  return { state, change: null, dueAt: ends };
}
