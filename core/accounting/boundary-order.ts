/** Places in the order of the next boundary, for the list's SQL (db/queries/session-filters.ts) and the page alike. */
import type { Session } from '../api/session';
import { silentFrom } from '../forecast/silence';

/** Happening now; past its limit; counting down; held in silence; too early to say; nothing known or asked of. */
const BOUNDARY_PLACES = [
  'compacting',
  'over',
  'idleOver',
  'counting',
  'held',
  'early',
  'unknown',
  'idle',
  'untracked',
  'ended',
] as const;
export type BoundaryPlace = (typeof BOUNDARY_PLACES)[number];

/** The lower the earlier. */
export const PLACE = Object.fromEntries(BOUNDARY_PLACES.map((place, index) => [place, index])) as Readonly<
  Record<BoundaryPlace, number>
>;

/** Whether there is no boundary left ahead of it. */
export function isPastBoundaries({ state, nextBoundary }: Pick<Session, 'state' | 'nextBoundary'>): boolean {
  return state === 'redlined' || nextBoundary?.passed === true;
}

/** @param nowMs server's time: who says nothing for long is no longer among those that count down. */
export function boundaryPlace(session: Session, nowMs: number): BoundaryPlace {
  const { liveness, state, compacting, nextBoundary } = session;
  if (liveness === 'ended') return 'ended';
  if (liveness === 'live' && compacting !== null) return 'compacting';
  if (state === 'untracked') return 'untracked';
  // Over its limit it needs attention, active or not.
  if (liveness === 'idle') return state === 'redlined' ? 'idleOver' : 'idle';
  if (state === 'unknown') return 'unknown';
  if (isPastBoundaries(session)) return 'over';
  if (nextBoundary?.minutes == null) return 'early';
  return nowMs < silentFrom(session) ? 'counting' : 'held';
}
