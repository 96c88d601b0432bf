import type { PressureState } from '@/core/accounting/types';
import type { Liveness, Session } from '@/core/api/session';

export interface StateCounts {
  liveness: Record<Liveness, number>;
  /** Live and idle sessions per state; ended ones have no state now. */
  states: Record<PressureState, number>;
  /** Live and idle sessions that thrash, or whose cache is missed. */
  inTrouble: number;
  /** Live sessions over their limit: the only count that shouts. */
  liveOverLimit: number;
}

export function countStates(sessions: Iterable<Session>): StateCounts {
  const counts: StateCounts = {
    liveness: { live: 0, idle: 0, ended: 0 },
    inTrouble: 0,
    liveOverLimit: 0,
    states: { redlined: 0, critical: 0, warning: 0, elevated: 0, nominal: 0, unknown: 0, untracked: 0 },
  };
  for (const session of sessions) {
    counts.liveness[session.liveness] += 1;
    if (session.liveness !== 'ended') counts.states[session.state] += 1;
    if (isInTrouble(session)) counts.inTrouble += 1;
    if (session.liveness === 'live' && session.state === 'redlined') counts.liveOverLimit += 1;
  }
  return counts;
}

/** An ended session has no trouble any more. */
export function isInTrouble({ liveness, trouble }: Session): boolean {
  return trouble !== null && liveness !== 'ended';
}

/** The order of the counts: the worst first. */
export const COUNTED_STATES: readonly PressureState[] = [
  'redlined',
  'critical',
  'warning',
  'elevated',
  'nominal',
  'unknown',
  'untracked',
];
