import type { Session } from '@/core/api/session';
import { isCompacting } from '../format/compacting';
import { shownMinutes } from '../format/format-duration';
import type { SortKey } from './fleet-query';

/** Groups of the default order: what happens at this moment, what is past its last boundary, what approaches one, and what does not. */
const GROUP = {
  compacting: 0,
  passed: 1,
  idleOver: 2,
  counting: 3,
  early: 4,
  unknown: 5,
  idle: 6,
  untracked: 7,
  ended: 8,
} as const;

/** Whether there is no boundary left ahead of it. */
export function isPassed(session: Session): boolean {
  return session.state === 'redlined' || session.nextBoundary?.passed === true;
}

function group(session: Session): number {
  if (session.liveness === 'ended') return GROUP.ended;
  if (isCompacting(session)) return GROUP.compacting;
  if (session.state === 'untracked') return GROUP.untracked;
  // Over its limit it needs somebody, at work or not: its next turn is refused or cut.
  if (session.liveness === 'idle') return session.state === 'redlined' ? GROUP.idleOver : GROUP.idle;
  if (session.state === 'unknown') return GROUP.unknown;
  if (isPassed(session)) return GROUP.passed;
  return session.nextBoundary?.minutes == null ? GROUP.early : GROUP.counting;
}

/** Tokens a minute as they are shown: one that rests burns nothing, and what is not tracked nobody knows. */
export function burnRate({ tokensPerMinute, liveness, state }: Session): number | null {
  return liveness === 'live' && state !== 'untracked' ? tokensPerMinute : null;
}

/** Whether the session is live and counts down to a boundary: a candidate for "next to go". */
export function isCounting(session: Session): boolean {
  return group(session) === GROUP.counting;
}

/** A session and where it stands: one number, made once, since it is compared many times. */
export interface Ranked {
  session: Session;
  rank: number;
}

/**
 * @returns the session with its rank, the lower the earlier. The other way round only what is known turns: what is not
 * known by this key comes last both ways.
 */
export function rankSession(session: Session, sort: SortKey, reversed: boolean): Ranked {
  const rank = rankOf(session, sort);
  return { session, rank: reversed && rank < LAST ? -rank : rank };
}

/** By rank, then by id. */
export function compareRanked(a: Ranked, b: Ranked): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  return a.session.id < b.session.id ? -1 : a.session.id > b.session.id ? 1 : 0;
}

/**
 * A copy in order. The default is compacting now, over limit (idle ones after those at work), then by minutes, then too early to say,
 * unknown, idle, not tracked, ended; the other way round only the groups up to those that count down turn.
 * Ties are broken by what is shown and then by id, never by digits nobody sees: two sessions of "5 min" do
 * not change places with every turn.
 */
export function sortSessions(sessions: readonly Session[], sort: SortKey, reversed: boolean): Session[] {
  return sessions
    .map((session) => rankSession(session, sort, reversed))
    .sort(compareRanked)
    .map(({ session }) => session);
}

/** The first `count` of the default order among the sessions that count down and are `meant`, in one pass. */
export function firstToArrive(
  sessions: readonly Session[],
  count: number,
  meant: (session: Session) => boolean,
): Session[] {
  const first: { session: Session; rank: number }[] = [];
  for (const session of sessions) {
    if (!isCounting(session)) continue;
    const rank = boundaryRank(session);
    const place = first.findIndex(
      (held) => rank < held.rank || (rank === held.rank && session.id < held.session.id),
    );
    // Asked last: it is the dearest question, and few of a large fleet come this far.
    if ((place === -1 && first.length >= count) || !meant(session)) continue;
    first.splice(place === -1 ? first.length : place, 0, { session, rank });
    first.length = Math.min(first.length, count);
  }
  return first.map(({ session }) => session);
}

/** Ranks from here on come last both ways: above every time in milliseconds. */
const LAST = 1e15;

/** Lower comes first. */
function rankOf(session: Session, sort: SortKey): number {
  switch (sort) {
    case 'boundary':
      return boundaryRank(session);
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

function boundaryRank(session: Session): number {
  const of = group(session);
  const rank = of * GROUP_ROOM + withinGroup(session, of);
  return of <= GROUP.counting ? rank : LAST + rank;
}

function withinGroup(session: Session, of: number): number {
  const boundary = session.nextBoundary;
  switch (of) {
    case GROUP.counting: {
      const minutes = Math.min(MINUTE_ROOM, shownMinutes(boundary?.minutes ?? 0));
      return minutes * MINUTE_ROOM + Math.min(MINUTE_ROOM - 1, Math.ceil(boundary?.turns ?? 0));
    }
    // Who waits longest first.
    case GROUP.compacting:
      return Date.parse(session.compacting?.at ?? session.startedAt);
    case GROUP.untracked:
    case GROUP.ended:
      return -lastTurn(session);
    default:
      return -exactOver(session.pressure ?? 0, 100);
  }
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
