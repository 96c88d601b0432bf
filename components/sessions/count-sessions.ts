import type { PressureState } from '@/core/accounting/types';
import type { Liveness, Session } from '@/core/api/session';

export interface StateCounts {
  liveness: Record<Liveness, number>;
  /** Live and idle sessions per state; an ended one has no state now. */
  states: Record<PressureState, number>;
  /** Live and idle sessions that thrash or miss their cache. */
  inTrouble: number;
  /** Live and idle sessions with a failed archive. */
  archiveFailed: number;
  /** Live sessions over their limit, shown inverted. */
  liveOverLimit: number;
}

export function emptyCounts(): StateCounts {
  return {
    liveness: { live: 0, idle: 0, ended: 0 },
    inTrouble: 0,
    archiveFailed: 0,
    liveOverLimit: 0,
    states: { redlined: 0, critical: 0, warning: 0, elevated: 0, nominal: 0, unknown: 0, untracked: 0 },
  };
}

/** @param among which of the counts this session belongs to */
export function addToCounts(
  counts: StateCounts,
  session: Session,
  among: { liveness: boolean; states: boolean; trouble: boolean; archiveFailed: boolean },
): void {
  const { liveness, state } = session;
  if (among.liveness) counts.liveness[liveness] += 1;
  if (among.states) counts.states[state] += 1;
  if (among.trouble && isInTrouble(session)) counts.inTrouble += 1;
  if (among.archiveFailed && isArchiveFailed(session)) counts.archiveFailed += 1;
  if (among.states && liveness === 'live' && state === 'redlined') counts.liveOverLimit += 1;
}

export function countStates(sessions: Iterable<Session>): StateCounts {
  const counts = emptyCounts();
  for (const session of sessions) {
    addToCounts(counts, session, {
      liveness: true,
      states: session.liveness !== 'ended',
      trouble: true,
      archiveFailed: true,
    });
  }
  return counts;
}

/** An ended session has no trouble any more. */
export function isInTrouble({ liveness, trouble }: Session): boolean {
  return trouble !== null && liveness !== 'ended';
}

/** A failed archive of an ended session needs no action. */
export function isArchiveFailed({ liveness, archiveFailure }: Session): boolean {
  return archiveFailure !== null && liveness !== 'ended';
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
