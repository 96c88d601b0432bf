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
