/** The three sessions that reach a boundary first, or why there are none. */
import { isPastBoundaries } from '@/core/accounting/boundary-order';
import type { Session } from '@/core/api/session';
import { isCompacting } from '../../format/compacting';
import { firstToArrive, sortSessions } from '../../sessions/sort-sessions';

const NEXT_COUNT = 3;

export interface NextToGo {
  /** At most three, the first to arrive first. */
  next: Session[];
  /** Live sessions that are compacting now, shown or not. */
  compacting: number;
}

/**
 * One compacting session, then those that count down, then those whose countdown is held. Sessions past their last
 * boundary are left out. One compacting session is enough: the other places are for sessions that can still be saved.
 * @param now the server's time, milliseconds
 */
export function nextToGo(sessions: readonly Session[], now: number): NextToGo {
  const arriving = firstToArrive(sessions, NEXT_COUNT, 'counting', now);
  const missing = NEXT_COUNT - arriving.length;
  if (missing > 0) arriving.push(...firstToArrive(sessions, missing, 'held', now));
  const compacting = sessions.filter(isCompacting);
  const shown = sortSessions(compacting, 'boundary', false, now).slice(
    0,
    Math.max(1, NEXT_COUNT - arriving.length),
  );
  return { next: [...shown, ...arriving].slice(0, NEXT_COUNT), compacting: compacting.length };
}

export interface NoCountdown {
  /** Live sessions. */
  live: number;
  /** Live sessions from warning up to their limit. */
  near: number;
  /** Why live sessions have no countdown, the most frequent reason first; sums to `live`. */
  reasons: ReadonlyArray<{ words: string; count: number }>;
  /** The three live sessions with the fewest tokens left, those near a boundary alone where there are any. */
  nearest: readonly Session[];
  /** The session with the newest turn, milliseconds; null: no turns yet. */
  last: { session: Session; at: number } | null;
}

/** @param sessions those that pass the filters, none of which counts down */
export function explainNoCountdown(sessions: readonly Session[]): NoCountdown {
  const live = sessions.filter(({ liveness }) => liveness === 'live');
  const counts = new Map<string, number>();
  for (const session of live) {
    const words = reasonOf(session);
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  const ahead = live.filter(({ nextBoundary }) => nextBoundary !== null && !nextBoundary.passed);
  const near = live.filter(isNear);
  return {
    live: live.length,
    near: near.length,
    reasons: [...counts].map(([words, count]) => ({ words, count })).sort((a, b) => b.count - a.count),
    nearest: (near.length > 0 ? near : ahead)
      .sort((a, b) => (a.nextBoundary?.left ?? 0) - (b.nextBoundary?.left ?? 0) || (a.id < b.id ? -1 : 1))
      .slice(0, NEXT_COUNT),
    last: lastOf(sessions),
  };
}

function isNear({ state, nextBoundary }: Session): boolean {
  return (state === 'warning' || state === 'critical') && nextBoundary?.passed !== true;
}

function reasonOf(session: Session): string {
  if (session.state === 'untracked') return 'not tracked';
  if (isPastBoundaries(session)) return 'past the last boundary';
  if (session.used === null) return 'without a reading';
  if (session.nextBoundary === null) return 'without a known limit';
  return session.forecast?.certainty === 'still' ? 'not growing' : 'too early to say';
}

function lastOf(sessions: readonly Session[]): NoCountdown['last'] {
  let last: NoCountdown['last'] = null;
  for (const session of sessions) {
    if (session.lastTurnAt === null) continue;
    const at = Date.parse(session.lastTurnAt);
    if (last === null || at > last.at) last = { session, at };
  }
  return last;
}

/** From the first to the last turn of the newest session, at least an hour. */
export function lastSpan({ session, at }: NonNullable<NoCountdown['last']>): { from: string; to: string } {
  const from = Math.min(Date.parse(session.startedAt), at - 3_600_000);
  return { from: new Date(from).toISOString(), to: new Date(at + 5 * 60_000).toISOString() };
}
