/** What is said of a session whose countdown is held (core/forecast/silence.ts). */
import { formatAge } from './format-duration';

export { silenceMs } from '@/core/forecast/silence';

/** `no turn for 4 m`. */
export function silenceWords(silentMs: number): string {
  return `no turn for ${formatAge(silentMs)}`;
}

/** For hover. */
export const HELD_SENTENCE =
  'The countdown is held: it counts minutes of work, and goes on with the next turn';
