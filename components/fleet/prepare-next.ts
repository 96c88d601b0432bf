/** The three sessions that reach a boundary first. */
import type { Session } from '@/core/api/session';
import { firstToArrive } from './sort-sessions';

const NEXT_COUNT = 3;

/**
 * Live sessions that count down, the first to arrive first. One that is past its last boundary is never
 * among them.
 */
export function nextToGo(sessions: readonly Session[]): Session[] {
  return firstToArrive(sessions, NEXT_COUNT);
}

/** Live sessions near a boundary, from warning to their limit: those of whom it matters most that nothing can be said. */
export function countNear(sessions: readonly Session[]): number {
  return sessions.filter(
    ({ liveness, state }) => liveness === 'live' && (state === 'warning' || state === 'critical'),
  ).length;
}
