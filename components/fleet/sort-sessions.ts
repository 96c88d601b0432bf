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
  // Ranks are computed once: ten thousand sessions compare a hundred thousand times.
  const ranked = sessions.map((session) => ({ session, rank: rankOf(session, sort) }));
  const direction = reversed ? -1 : 1;
  ranked.sort((a, b) => direction * compareRanks(a.rank, b.rank) || compareText(a.session.id, b.session.id));
  return ranked.map(({ session }) => session);
}

/** Lower comes first. */
function rankOf(session: Session, sort: SortKey): number[] {
  switch (sort) {
    case 'boundary':
      return boundaryRank(session);
    case 'pressure':
      return [
        session.state === 'untracked' || session.pressure === null ? 1 : -Math.floor(session.pressure * 1000),
      ];
    case 'burn':
      return [session.tokensPerMinute === null ? 1e15 : -session.tokensPerMinute];
    case 'last':
      return [session.lastTurnAt === null ? 0 : -Date.parse(session.lastTurnAt)];
    case 'continuations':
      return [-session.contextCount];
  }
}

function boundaryRank(session: Session): number[] {
  const of = group(session);
  const boundary = session.nextBoundary;
  switch (of) {
    case GROUP.passed:
    case GROUP.unknown:
    case GROUP.idle:
      return [of, -Math.floor((session.pressure ?? 0) * 100)];
    case GROUP.counting:
      return [of, Math.floor(boundary?.minutes ?? 0), Math.ceil(boundary?.turns ?? 0)];
    case GROUP.early:
      return [of, -Math.floor((session.pressure ?? 0) * 100)];
    default:
      return [of, session.lastTurnAt === null ? 0 : -Date.parse(session.lastTurnAt)];
  }
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
