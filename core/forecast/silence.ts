/** When a countdown is held: without a turn, minutes of work do not count down. */
import type { Session } from '../api/session';

/** A turn may take this long without a word, whatever the pace. */
export const LEAST_SILENCE_MS = 2 * 60_000;
/** And this many times as long as its turns usually take. */
const USUAL_TURNS = 4;
/** A pace of days a turn explains nothing. */
const MOST_SILENCE_MS = 24 * 60 * 60_000;

/** Milliseconds without a turn after which a session with this forecast is silent. */
export function silentAfterMs(forecast: Session['forecast']): number {
  const { minutes = null, turns = null } = forecast ?? {};
  const turnMs = minutes === null || turns === null ? 0 : (minutes.mid / turns.mid) * 60_000;
  return Math.min(MOST_SILENCE_MS, Math.max(LEAST_SILENCE_MS, Math.round(USUAL_TURNS * turnMs)));
}

type Silent = Pick<Session, 'liveness' | 'lastTurnAt' | 'forecast'>;

/** Server's time from which a live session without a further turn is silent, milliseconds; infinite: it is not live. */
export function silentFrom({ liveness, lastTurnAt, forecast }: Silent): number {
  if (liveness !== 'live' || lastTurnAt === null) return Number.POSITIVE_INFINITY;
  return Date.parse(lastTurnAt) + silentAfterMs(forecast);
}

/** Milliseconds since its last turn, once that is longer than its own pace explains; null: it is at work, or not live. */
export function silenceMs(session: Silent, nowMs: number): number | null {
  if (session.lastTurnAt === null || nowMs < silentFrom(session)) return null;
  return nowMs - Date.parse(session.lastTurnAt);
}
