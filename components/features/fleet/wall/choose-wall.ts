/** Which sessions of a fleet get a card, and what is said of the others. */
import type { PressureState } from '@/core/accounting/types';
import type { Session } from '@/core/api/session';
import { COUNTED_STATES, countStates } from '../../../sessions/count-sessions';
import { isCounting } from '../../../sessions/sort-sessions';

const HOUR_MS = 3_600_000;

/**
 * How many sessions should have a card whatever the room: those at work, and those that were within the hour. A
 * session that pauses keeps its card, so that the wall does not shift with each pause; one that was left does not
 * make the others small. Where none is at work, all are meant.
 */
export function wishedCards(sessions: readonly Session[], now: number): number {
  const recent = sessions.filter(
    ({ liveness, lastTurnAt }) =>
      liveness === 'live' ||
      (liveness === 'idle' && lastTurnAt !== null && now - Date.parse(lastTurnAt) < HOUR_MS),
  ).length;
  return recent === 0 ? sessions.length : recent;
}

export interface WallRest {
  count: number;
  /** Minutes until the first of them that is at work reaches a boundary; null: none counts down. */
  firstMinutes: number | null;
  /** The states they are in, the worst first. */
  states: ReadonlyArray<{ state: PressureState; count: number }>;
}

/** @param rest sessions without a card, in the default order. @param now the server's time, milliseconds */
export function describeRest(rest: readonly Session[], now: number): WallRest {
  const counts = countStates(rest);
  return {
    count: rest.length,
    firstMinutes: rest.find((session) => isCounting(session, now))?.nextBoundary?.minutes ?? null,
    states: COUNTED_STATES.map((state) => ({ state, count: counts.states[state] })).filter(
      ({ count }) => count > 0,
    ),
  };
}
