/** What is known where no session counts down: who rests, since when, and why nobody can be named. Pure. */
import type { Session } from '@/core/api/session';
import { isPassed } from './sort-sessions';

export interface Nobody {
  /** Sessions at work; none: all rest, or are over. */
  live: number;
  /** Why those at work do not count down, the most frequent reason first; sums to `live`. */
  reasons: ReadonlyArray<{ words: string; count: number }>;
  /** Of those at work the three with the least room, as far as it is known. */
  nearest: readonly Session[];
  /** The session that spoke last, and when, milliseconds; null: none ever did. */
  last: { session: Session; at: number } | null;
}

const NEAREST_COUNT = 3;

/** @param sessions those that pass the filters, none of which counts down */
export function prepareNobody(sessions: readonly Session[]): Nobody {
  const live = sessions.filter(({ liveness }) => liveness === 'live');
  const counts = new Map<string, number>();
  for (const session of live) {
    const words = reasonOf(session);
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return {
    live: live.length,
    reasons: [...counts].map(([words, count]) => ({ words, count })).sort((a, b) => b.count - a.count),
    nearest: live
      .filter(({ nextBoundary }) => nextBoundary !== null && !nextBoundary.passed)
      .sort((a, b) => (a.nextBoundary?.left ?? 0) - (b.nextBoundary?.left ?? 0) || (a.id < b.id ? -1 : 1))
      .slice(0, NEAREST_COUNT),
    last: lastOf(sessions),
  };
}

function reasonOf(session: Session): string {
  if (session.state === 'untracked') return 'not tracked';
  if (isPassed(session)) return 'past the last boundary';
  if (session.used === null) return 'without a reading yet';
  if (session.nextBoundary === null) return 'without a known limit';
  return session.forecast?.certainty === 'still' ? 'not growing' : 'too early to say';
}

function lastOf(sessions: readonly Session[]): Nobody['last'] {
  let last: Nobody['last'] = null;
  for (const session of sessions) {
    if (session.lastTurnAt === null) continue;
    const at = Date.parse(session.lastTurnAt);
    if (last === null || at > last.at) last = { session, at };
  }
  return last;
}

/** From the last session's first turn to its last: at least an hour, so that there is something to see around it. */
export function lastSpan({ session, at }: NonNullable<Nobody['last']>): { from: string; to: string } {
  const HOUR_MS = 3_600_000;
  const from = Math.min(Date.parse(session.startedAt), at - HOUR_MS);
  return { from: new Date(from).toISOString(), to: new Date(at + 5 * 60_000).toISOString() };
}
