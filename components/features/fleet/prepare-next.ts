import { isPastBoundaries } from '@/core/accounting/boundary-order';
import type { Session } from '@/core/api/session';
import { isCompacting } from '../../format/session-words';
import { firstToArrive, sortSessions } from '../../sessions/sort-sessions';

const NEXT_COUNT = 3;

/**
 * List at most three sessions: one that compacts, then those that count down, then those with a held countdown.
 * Sessions past their last boundary are left out. More compacting sessions only fill free places, because the other
 * sessions can still be saved.
 * @param now the server's time, milliseconds
 * @returns `compacting`: the number of all compacting sessions
 */
export function nextToGo(sessions: readonly Session[], now: number): { next: Session[]; compacting: number } {
  const arriving = firstToArrive(sessions, NEXT_COUNT, ['counting'], now);
  const missing = NEXT_COUNT - arriving.length;
  if (missing > 0) arriving.push(...firstToArrive(sessions, missing, ['heldNear', 'held'], now));
  const compacting = sessions.filter(isCompacting);
  const shown = sortSessions(compacting, 'boundary', false, now).slice(
    0,
    Math.max(1, NEXT_COUNT - arriving.length),
  );
  return { next: [...shown, ...arriving].slice(0, NEXT_COUNT), compacting: compacting.length };
}

interface NoCountdownFacts {
  live: number;
  /** Live sessions in warning or critical that have not passed their boundary. */
  near: number;
  /** Why live sessions have no countdown, the most frequent reason first; sums to `live`. */
  reasons: ReadonlyArray<{ words: string; count: number }>;
  /** The session with the newest turn, and the time of that turn, milliseconds; null: no turns yet. */
  last: { session: Session; at: number } | null;
}

/** @param sessions sessions that pass the filters; none of them counts down */
export function explainNoCountdown(sessions: readonly Session[]): NoCountdownFacts {
  const live = sessions.filter(({ liveness }) => liveness === 'live');
  const reasons = new Map<string, number>();
  for (const session of live) reasons.set(reasonOf(session), (reasons.get(reasonOf(session)) ?? 0) + 1);
  const near = live.filter(
    ({ state, nextBoundary }) =>
      (state === 'warning' || state === 'critical') && nextBoundary?.passed !== true,
  );
  const last = sessions
    .map((session) => ({ session, at: Date.parse(session.lastTurnAt ?? '') }))
    .filter(({ at }) => at > 0)
    .reduce<NoCountdownFacts['last']>((held, one) => (held && held.at >= one.at ? held : one), null);
  return {
    live: live.length,
    near: near.length,
    reasons: [...reasons].map(([words, count]) => ({ words, count })).sort((a, b) => b.count - a.count),
    last,
  };
}

function reasonOf(session: Session): string {
  if (session.state === 'untracked') return 'not tracked';
  if (isPastBoundaries(session)) return 'past the last boundary';
  if (session.used === null) return 'without a reading';
  if (session.nextBoundary === null) return 'without a known limit';
  return session.forecast?.certainty === 'still' ? 'not growing' : 'without a forecast yet';
}
