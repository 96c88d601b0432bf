import { type BoundaryPlace, boundaryPlace, PLACE } from '@/core/accounting/boundary-order';
import type { Session } from '@/core/api/session';
import { shownMinutes } from '../format/format-duration';
import type { SortKey } from './fleet-query';

/** Tokens per minute as shown; null for sessions that are untracked or not live. */
export function burnRate({ tokensPerMinute, liveness, state }: Session): number | null {
  return liveness === 'live' && state !== 'untracked' ? tokensPerMinute : null;
}

/** @param now the server's time, milliseconds */
export function isCounting(session: Session, now: number): boolean {
  return boundaryPlace(session, now) === 'counting';
}

/**
 * A sorted copy. The default order is that of core/accounting/boundary-order.ts. Values that look equal are ties,
 * broken by id, so that two sessions of "5 min" do not swap with each turn. Sessions without a value are always last.
 * @param now the server's time, milliseconds
 * @param alerting ids of sessions with a firing alert
 */
export function sortSessions(
  sessions: readonly Session[],
  sort: SortKey,
  reversed: boolean,
  now: number,
  alerting: ReadonlySet<string> = NONE,
): Session[] {
  return sessions
    .map((session) => {
      const rank = rankOf(session, sort, now, alerting);
      return { session, rank: reversed && rank < LAST ? -rank : rank };
    })
    .sort((a, b) => a.rank - b.rank || (a.session.id < b.session.id ? -1 : 1))
    .map(({ session }) => session);
}

/** The first `count` sessions of `places` in the default order, in one pass. */
export function firstToArrive(
  sessions: readonly Session[],
  count: number,
  places: readonly BoundaryPlace[],
  now: number,
): Session[] {
  const first: { session: Session; rank: number }[] = [];
  for (const session of sessions) {
    const { nextBoundary, liveness } = session;
    // The place is expensive to compute, so it is checked last.
    if (liveness !== 'live' || nextBoundary?.minutes == null) continue;
    const rank = arrivalRank(session);
    const at = first.findIndex(
      (held) => rank < held.rank || (rank === held.rank && session.id < held.session.id),
    );
    if ((at === -1 && first.length >= count) || !places.includes(boundaryPlace(session, now))) continue;
    first.splice(at === -1 ? first.length : at, 0, { session, rank });
    first.length = Math.min(first.length, count);
  }
  return first.map(({ session }) => session);
}

const NONE: ReadonlySet<string> = new Set();

/** Ranks from here on are always last: above every time in milliseconds. */
const LAST = 1e15;

/** Lower ranks come first. */
function rankOf(session: Session, sort: SortKey, now: number, alerting: ReadonlySet<string>): number {
  const { pressure, state, lastTurnAt, contextCount } = session;
  if (sort === 'boundary') return boundaryRank(session, now, alerting.has(session.id));
  if (sort === 'burn') return -(burnRate(session) ?? -LAST);
  if (sort === 'last') return lastTurnAt === null ? LAST : -lastTurn(session);
  if (sort === 'continuations') return -contextCount;
  const unread = state === 'untracked' || state === 'unknown' || pressure === null;
  return unread ? LAST : -exactOver(pressure, 1000);
}

const GROUP_ROOM = 1e14;
const MINUTE_ROOM = 1e6;

function boundaryRank(session: Session, now: number, alerting: boolean): number {
  const place = boundaryPlace(session, now, alerting);
  const rank = PLACE[place] * GROUP_ROOM + withinPlace(session, place);
  return PLACE[place] <= PLACE.counting ? rank : LAST + rank;
}

function withinPlace(session: Session, place: BoundaryPlace): number {
  if (place === 'counting' || place === 'heldNear' || place === 'held') return arrivalRank(session);
  if (place === 'compacting') return Date.parse(session.compacting?.at ?? session.startedAt);
  if (place === 'untracked' || place === 'ended') return -lastTurn(session);
  return -exactOver(session.pressure ?? 0, 100);
}

function arrivalRank({ nextBoundary }: Session): number {
  const minutes = Math.min(MINUTE_ROOM, shownMinutes(nextBoundary?.minutes ?? 0));
  return minutes * MINUTE_ROOM + Math.min(MINUTE_ROOM - 1, Math.ceil(nextBoundary?.turns ?? 0));
}

/** A share in steps of `1 / fineness`; exact past the limit. */
function exactOver(pressure: number, fineness: number): number {
  return pressure < 1 ? Math.floor(pressure * fineness) : pressure * fineness;
}

function lastTurn(session: Session): number {
  return session.lastTurnAt === null ? 0 : Date.parse(session.lastTurnAt);
}
