/** Groups of sessions in the sort order by next boundary, for the page and the SQL (db/queries/session-filters.ts). */
import type { Session } from '../api/session';
import { silentFrom } from '../forecast/silence';

const BOUNDARY_PLACES = [
  'compacting',
  'over',
  'idleOver',
  'alerting',
  'counting',
  'held',
  'early',
  'unknown',
  'idle',
  'untracked',
  'ended',
] as const;
/** `heldNear`: a silent session in warning or critical, listed by its minutes among the active countdowns. */
export type BoundaryPlace = (typeof BOUNDARY_PLACES)[number] | 'heldNear';

const ranks = Object.fromEntries(BOUNDARY_PLACES.map((place, index) => [place, index]));
export const PLACE = { ...ranks, heldNear: ranks.counting } as Readonly<Record<BoundaryPlace, number>>;

export function isPastBoundaries({ state, nextBoundary }: Pick<Session, 'state' | 'nextBoundary'>): boolean {
  return state === 'redlined' || nextBoundary?.passed === true;
}

/** @param alerting whether the session has a firing alert that is not acknowledged */
export function boundaryPlace(session: Session, nowMs: number, alerting = false): BoundaryPlace {
  const place = placeWithoutAlerts(session, nowMs);
  const isLater = place === 'heldNear' || PLACE[place] > PLACE.counting;
  return alerting && isLater && place !== 'ended' ? 'alerting' : place;
}

function placeWithoutAlerts(session: Session, nowMs: number): BoundaryPlace {
  const { liveness, state, compacting, nextBoundary } = session;
  if (liveness === 'ended') return 'ended';
  if (liveness === 'live' && compacting !== null) return 'compacting';
  if (state === 'untracked') return 'untracked';
  // A session past its limit needs attention even if it is idle.
  if (liveness === 'idle') return state === 'redlined' ? 'idleOver' : 'idle';
  if (state === 'unknown') return 'unknown';
  if (isPastBoundaries(session)) return 'over';
  if (nextBoundary?.minutes == null) return 'early';
  if (nowMs < silentFrom(session)) return 'counting';
  return state === 'warning' || state === 'critical' ? 'heldNear' : 'held';
}
