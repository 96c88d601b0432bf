/** What is said of a session whose countdown is held (core/forecast/silence.ts). */
import type { Session } from '@/core/api/session';
import { formatAge } from './format-duration';

export { silenceMs } from '@/core/forecast/silence';

/** `no turn for 4 m`. */
export function silenceWords(silentMs: number): string {
  return `no turn for ${formatAge(silentMs)}`;
}

/** `idle, no turn for 38 m`: the same silence, for longer. `ended`: no turn is expected. Empty: it is live. */
export function restingWords(
  { liveness, lastTurnAt }: Pick<Session, 'liveness' | 'lastTurnAt'>,
  now: number,
): string {
  if (liveness === 'live') return '';
  if (liveness === 'ended') return 'ended';
  return lastTurnAt === null ? 'idle, no turn yet' : `idle, ${silenceWords(now - Date.parse(lastTurnAt))}`;
}

/** For hover. */
export const HELD_SENTENCE =
  'The countdown is held: it counts minutes of work, and goes on with the next turn';
