/** When a countdown pauses. A countdown counts minutes of work, so it does not run without turns. */
import type { Session } from '../api/session';

export const LEAST_SILENCE_MS = 2 * 60_000;
const USUAL_TURNS = 4;
const MOST_SILENCE_MS = 24 * 60 * 60_000;

type Pace = Pick<Session, 'tokensPerTurn' | 'tokensPerMinute'>;

/** Milliseconds without a turn after which a session is silent: four usual turns, within bounds. */
export function silentAfterMs({ tokensPerTurn, tokensPerMinute }: Pace): number {
  // The measured pace: a forecast of few turns depends on the pace of other sessions.
  const turnMs = tokensPerTurn === null || !tokensPerMinute ? 0 : (tokensPerTurn / tokensPerMinute) * 60_000;
  return Math.min(MOST_SILENCE_MS, Math.max(LEAST_SILENCE_MS, Math.round(USUAL_TURNS * turnMs)));
}

type Silent = Pick<Session, 'liveness' | 'lastTurnAt'> & Pace;

/** Server time from which a live session is silent, milliseconds. Infinite: the session is not live. */
export function silentFrom({ liveness, lastTurnAt, ...pace }: Silent): number {
  if (liveness !== 'live' || lastTurnAt === null) return Number.POSITIVE_INFINITY;
  return Date.parse(lastTurnAt) + silentAfterMs(pace);
}

/** Milliseconds since the last turn of a silent session. Null: not silent. */
export function silenceMs(session: Silent, nowMs: number): number | null {
  if (session.lastTurnAt === null || nowMs < silentFrom(session)) return null;
  return nowMs - Date.parse(session.lastTurnAt);
}
