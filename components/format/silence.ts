/**
 * A session that counts down and says nothing. Minutes to a boundary are minutes of work: while no turn comes they do not
 * run down, and a screen that shows them unmarked would promise a moment that only the next turn brings nearer.
 */
import type { Session } from '@/core/api/session';
import { formatAge } from './format-duration';

/** A turn may take this long without a word, whatever the pace. */
const LEAST_MS = 2 * 60_000;
/** And this many times as long as its turns usually take. */
const USUAL_TURNS = 4;

type Silent = Pick<Session, 'liveness' | 'lastTurnAt' | 'forecast'>;

/** Milliseconds since its last turn, once that is longer than its own pace explains; null: it is at work, or not live. */
export function silenceMs({ liveness, lastTurnAt, forecast }: Silent, now: number): number | null {
  if (liveness !== 'live' || lastTurnAt === null) return null;
  const silentMs = now - Date.parse(lastTurnAt);
  const { minutes = null, turns = null } = forecast ?? {};
  const turnMs = minutes === null || turns === null ? 0 : (minutes.mid / turns.mid) * 60_000;
  return silentMs >= Math.max(LEAST_MS, USUAL_TURNS * turnMs) ? silentMs : null;
}

/** `no turn for 4 m`. */
export function silenceWords(silentMs: number): string {
  return `no turn for ${formatAge(silentMs)}`;
}

/** For hover. */
export const HELD_SENTENCE =
  'The countdown is held: it counts minutes of work, and goes on with the next turn';
