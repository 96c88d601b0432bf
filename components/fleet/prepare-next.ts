/** The three sessions that reach a boundary first. */
import type { Session } from '@/core/api/session';
import { isCompacting } from '../format/compacting';
import { firstToArrive, sortSessions } from './sort-sessions';

const NEXT_COUNT = 3;

export interface NextToGo {
  /** At most three, the first one first. */
  next: Session[];
  /** Live sessions whose client compacts at this moment, shown or not. */
  compacting: number;
}

/**
 * What is compacted at this moment, and then who counts down, the first to arrive first. One that is past its last
 * boundary is never among them. Of a large fleet some are always compacting: one of them is shown, and the other places
 * stay for those that can still be looked after. Who says nothing comes after those at work: its countdown is held.
 * @param now the server's time, milliseconds
 */
export function nextToGo(sessions: readonly Session[], now: number): NextToGo {
  const arriving = firstToArrive(sessions, NEXT_COUNT, 'counting', now);
  const missing = NEXT_COUNT - arriving.length;
  if (missing > 0) arriving.push(...firstToArrive(sessions, missing, 'held', now));
  const compacting = sessions.filter(isCompacting);
  const shown = sortSessions(compacting, 'boundary', false, now).slice(
    0,
    Math.max(1, NEXT_COUNT - arriving.length),
  );
  return { next: [...shown, ...arriving].slice(0, NEXT_COUNT), compacting: compacting.length };
}

/** The live sessions that are nearest to a boundary by tokens, where nothing can be said of their time. */
export function nearest(sessions: readonly Session[]): Session[] {
  return sessions
    .filter(isNear)
    .sort((a, b) => (a.nextBoundary?.left ?? 0) - (b.nextBoundary?.left ?? 0) || (a.id < b.id ? -1 : 1))
    .slice(0, NEXT_COUNT);
}

/** Live sessions near a boundary, from warning to their limit: those of whom it matters most that nothing can be said. */
export function countNear(sessions: readonly Session[]): number {
  return sessions.filter(isNear).length;
}

function isNear({ liveness, state, nextBoundary }: Session): boolean {
  return (
    liveness === 'live' && (state === 'warning' || state === 'critical') && nextBoundary?.passed !== true
  );
}
