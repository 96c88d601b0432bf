import { type BoundaryPlace, boundaryPlace, isPastBoundaries, PLACE } from '@/core/accounting/boundary-order';
import type { Session } from '@/core/api/session';
import { silentFrom } from '@/core/forecast/silence';
import { shownMinutes } from '../format/format-duration';
import type { SortKey } from './fleet-query';

export { isPastBoundaries as isPassed };

/** Tokens a minute as they are shown: one that rests burns nothing, and what is not tracked nobody knows. */
export function burnRate({ tokensPerMinute, liveness, state }: Session): number | null {
  return liveness === 'live' && state !== 'untracked' ? tokensPerMinute : null;
}

/** Whether the session is live, counts down to a boundary, and says something. @param now the server's time, milliseconds */
export function isCounting(session: Session, now: number): boolean {
  return boundaryPlace(session, now) === 'counting';
}

/** A session and where it stands: one number, made once, since it is compared many times. */
export interface Ranked {
  session: Session;
  rank: number;
  /** The server's time from which it stands elsewhere though nothing came, milliseconds: its countdown is held. */
  heldFrom: number;
}

/**
 * @param now the server's time, milliseconds
 * @returns the session with its rank, the lower the earlier. The other way round only what is known turns: what is not
 * known by this key comes last both ways.
 */
export function rankSession(session: Session, sort: SortKey, reversed: boolean, now: number): Ranked {
  const rank = rankOf(session, sort, now);
  const heldFrom = sort === 'boundary' ? silentFrom(session) : Number.POSITIVE_INFINITY;
  return { session, rank: reversed && rank < LAST ? -rank : rank, heldFrom };
}

/** By rank, then by id. */
export function compareRanked(a: Ranked, b: Ranked): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  return a.session.id < b.session.id ? -1 : a.session.id > b.session.id ? 1 : 0;
}

/**
 * A copy in order. The default is that of core/accounting/boundary-order.ts, those that count down by minutes; the other
 * way round only the groups up to those that count down turn.
 * Ties are broken by what is shown and then by id, never by digits nobody sees: two sessions of "5 min" do
 * not change places with every turn.
 */
export function sortSessions(
  sessions: readonly Session[],
  sort: SortKey,
  reversed: boolean,
  now: number,
): Session[] {
  return sessions
    .map((session) => rankSession(session, sort, reversed, now))
    .sort(compareRanked)
    .map(({ session }) => session);
}

/** The first `count` of the default order among the sessions of one place, in one pass. */
export function firstToArrive(
  sessions: readonly Session[],
  count: number,
  place: BoundaryPlace,
  now: number,
): Session[] {
  const first: { session: Session; rank: number }[] = [];
  for (const session of sessions) {
    const { nextBoundary, liveness } = session;
    // Asked last, where one stands is the dearest question, and few of a large fleet come this far.
    if (liveness !== 'live' || nextBoundary?.minutes == null) continue;
    const rank = arrivalRank(session);
    const at = first.findIndex(
      (held) => rank < held.rank || (rank === held.rank && session.id < held.session.id),
    );
    if ((at === -1 && first.length >= count) || boundaryPlace(session, now) !== place) continue;
    first.splice(at === -1 ? first.length : at, 0, { session, rank });
    first.length = Math.min(first.length, count);
  }
  return first.map(({ session }) => session);
}

/** Ranks from here on come last both ways: above every time in milliseconds. */
const LAST = 1e15;

/** Lower comes first. */
function rankOf(session: Session, sort: SortKey, now: number): number {
  switch (sort) {
    case 'boundary':
      return boundaryRank(session, now);
    case 'pressure': {
      const { pressure, state } = session;
      const unread = state === 'untracked' || state === 'unknown' || pressure === null;
      return unread ? LAST : -exactOver(pressure, 1000);
    }
    case 'burn': {
      const rate = burnRate(session);
      return rate === null ? LAST : -rate;
    }
    case 'last':
      return session.lastTurnAt === null ? LAST : -lastTurn(session);
    case 'continuations':
      return -session.contextCount;
  }
}

/** Room of a group: above every time in milliseconds. */
const GROUP_ROOM = 1e14;
/** Room of a minute: above every number of turns that is shown apart. */
const MINUTE_ROOM = 1e6;

function boundaryRank(session: Session, now: number): number {
  const place = boundaryPlace(session, now);
  const rank = PLACE[place] * GROUP_ROOM + withinPlace(session, place);
  return PLACE[place] <= PLACE.counting ? rank : LAST + rank;
}

function withinPlace(session: Session, place: BoundaryPlace): number {
  switch (place) {
    case 'counting':
    case 'held':
      return arrivalRank(session);
    // Who waits longest first.
    case 'compacting':
      return Date.parse(session.compacting?.at ?? session.startedAt);
    case 'untracked':
    case 'ended':
      return -lastTurn(session);
    default:
      return -exactOver(session.pressure ?? 0, 100);
  }
}

/** By the minutes that are shown, then by turns. */
function arrivalRank({ nextBoundary }: Session): number {
  const minutes = Math.min(MINUTE_ROOM, shownMinutes(nextBoundary?.minutes ?? 0));
  return minutes * MINUTE_ROOM + Math.min(MINUTE_ROOM - 1, Math.ceil(nextBoundary?.turns ?? 0));
}

/**
 * A share in steps of `1 / fineness`, as it is shown; past the limit exactly, for there the row says by how many tokens,
 * and the worst of those shown as 103 % comes first.
 */
function exactOver(pressure: number, fineness: number): number {
  return pressure < 1 ? Math.floor(pressure * fineness) : pressure * fineness;
}

function lastTurn(session: Session): number {
  return session.lastTurnAt === null ? 0 : Date.parse(session.lastTurnAt);
}
