import type { Session } from '@/core/api/session';
import type { SortKey } from './fleet-query';

/** Groups of the default order: what is past its last boundary, what approaches one, and what does not. */
const GROUP = { passed: 0, counting: 1, early: 2, unknown: 3, idle: 4, untracked: 5, ended: 6 } as const;

/** Whether there is no boundary left ahead of it. */
export function isPassed(session: Session): boolean {
  return session.state === 'redlined' || session.nextBoundary?.passed === true;
}

function group(session: Session): number {
  if (session.liveness === 'ended') return GROUP.ended;
  if (session.state === 'untracked') return GROUP.untracked;
  if (session.liveness === 'idle') return GROUP.idle;
  if (session.state === 'unknown') return GROUP.unknown;
  if (isPassed(session)) return GROUP.passed;
  return session.nextBoundary?.minutes == null ? GROUP.early : GROUP.counting;
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

/** @returns the session with its rank, the lower the earlier */
export function rankSession(session: Session, sort: SortKey, reversed: boolean): Ranked {
  return { session, rank: (reversed ? -1 : 1) * rankOf(session, sort) };
}

/** By rank, then by id. */
export function compareRanked(a: Ranked, b: Ranked): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  return a.session.id < b.session.id ? -1 : a.session.id > b.session.id ? 1 : 0;
}

/**
 * A copy in order. The default is over limit, then by minutes, then unknown, idle, not tracked, ended.
 * Ties are broken by what is shown and then by id, never by digits nobody sees: two sessions of "5 min" do
 * not change places with every turn.
 */
export function sortSessions(sessions: readonly Session[], sort: SortKey, reversed: boolean): Session[] {
  return sessions
    .map((session) => rankSession(session, sort, reversed))
    .sort(compareRanked)
    .map(({ session }) => session);
}

/** The first `count` of the default order among the sessions that count down, in one pass. */
export function firstToArrive(sessions: readonly Session[], count: number): Session[] {
  const first: { session: Session; rank: number }[] = [];
  for (const session of sessions) {
    if (!isCounting(session)) continue;
    const rank = boundaryRank(session);
    const place = first.findIndex(
      (held) => rank < held.rank || (rank === held.rank && session.id < held.session.id),
    );
    if (place === -1 && first.length >= count) continue;
    first.splice(place === -1 ? first.length : place, 0, { session, rank });
    first.length = Math.min(first.length, count);
  }
  return first.map(({ session }) => session);
}

const NOT_KNOWN = 1e15;

/** Lower comes first. */
function rankOf(session: Session, sort: SortKey): number {
  switch (sort) {
    case 'boundary':
      return boundaryRank(session);
    case 'pressure': {
      const { pressure, state } = session;
      return state === 'untracked' || pressure === null ? NOT_KNOWN : -Math.floor(pressure * 1000);
    }
    case 'burn':
      return session.tokensPerMinute === null ? NOT_KNOWN : -session.tokensPerMinute;
    case 'last':
      return -lastTurn(session);
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
  return of * GROUP_ROOM + withinGroup(session, of);
}

function withinGroup(session: Session, of: number): number {
  const boundary = session.nextBoundary;
  switch (of) {
    case GROUP.counting: {
      const minutes = Math.min(MINUTE_ROOM, Math.floor(boundary?.minutes ?? 0));
      return minutes * MINUTE_ROOM + Math.min(MINUTE_ROOM - 1, Math.ceil(boundary?.turns ?? 0));
    }
    case GROUP.untracked:
    case GROUP.ended:
      return -lastTurn(session);
    default:
      return -Math.floor((session.pressure ?? 0) * 100);
  }
}

function lastTurn(session: Session): number {
  return session.lastTurnAt === null ? 0 : Date.parse(session.lastTurnAt);
}
