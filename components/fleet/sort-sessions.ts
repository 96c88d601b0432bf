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

/**
 * A copy in order. The default is over limit, then by minutes, then unknown, idle, not tracked, ended.
 * Ties are broken by what is shown and then by id, never by digits nobody sees: two sessions of "5 min" do
 * not change places with every turn.
 */
export function sortSessions(sessions: readonly Session[], sort: SortKey, reversed: boolean): Session[] {
  const direction = reversed ? -1 : 1;
  // One number a session, made once: ten thousand of them are compared a hundred thousand times, four times a second.
  const ranks = Float64Array.from(sessions, (session) => direction * rankOf(session, sort));
  const places = Array.from(sessions, (_, place) => place);
  places.sort((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0) || compareIds(sessions[a], sessions[b]));
  return places.flatMap((place) => sessions[place] ?? []);
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

function compareIds(a: Session | undefined, b: Session | undefined): number {
  const [left, right] = [a?.id ?? '', b?.id ?? ''];
  return left < right ? -1 : left > right ? 1 : 0;
}
