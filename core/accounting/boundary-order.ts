/** Groups of sessions in the sort order by next boundary, for the page and the SQL (db/queries/session-filters.ts). */
import type { Session } from '../api/session';
import { silentFrom } from '../forecast/silence';

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

export const PLACE = Object.fromEntries(BOUNDARY_PLACES.map((place, index) => [place, index])) as Readonly<
  Record<BoundaryPlace, number>
>;

export function isPastBoundaries({ state, nextBoundary }: Pick<Session, 'state' | 'nextBoundary'>): boolean {
  return state === 'redlined' || nextBoundary?.passed === true;
}

export function boundaryPlace(session: Session, nowMs: number): BoundaryPlace {
  const { liveness, state, compacting, nextBoundary } = session;
  if (liveness === 'ended') return 'ended';
  if (liveness === 'live' && compacting !== null) return 'compacting';
  if (state === 'untracked') return 'untracked';
  // A session past its limit needs attention even if it is idle.
  if (liveness === 'idle') return state === 'redlined' ? 'idleOver' : 'idle';
  if (state === 'unknown') return 'unknown';
  if (isPastBoundaries(session)) return 'over';
  if (nextBoundary?.minutes == null) return 'early';
  return nowMs < silentFrom(session) ? 'counting' : 'held';
}
