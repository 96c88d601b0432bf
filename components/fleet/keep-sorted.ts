import type { Session } from '@/core/api/session';
import type { SortKey } from './fleet-query';
import { compareRanked, type Ranked, rankSession } from './sort-sessions';

/** The question and the answer of the last call. */
interface Last {
  sort: SortKey;
  reversed: boolean;
  /** The server's time for which it was given, milliseconds. */
  now: number;
  /** In order, each with its rank. */
  ranked: readonly Ranked[];
}

/** Beyond this share of new rows a whole sort is not dearer. */
const MOST_FRESH = 0.25;

/**
 * Sorts as `sortSessions` does, but goes on from its last answer: rows whose object is the same keep their
 * place, the changed ones are sorted in between, and with them whose countdown is held since. A fleet of ten thousand of which a hundred changed costs a
 * hundred ranks and some thousand comparisons, where a sort makes ten thousand and a hundred thousand.
 * Its answer depends on its arguments alone, so it may be called within a rendering.
 * @param rank how a session is ranked; given by tests that count
 */
export function createKeptSort(
  rank: typeof rankSession = rankSession,
  compare: typeof compareRanked = compareRanked,
): (sessions: readonly Session[], sort: SortKey, reversed: boolean, now: number) => Session[] {
  let last: Last | null = null;

  return (sessions, sort, reversed, now) => {
    const before = last?.sort === sort && last.reversed === reversed ? last : null;
    const missing = new Set(sessions);
    const kept: Ranked[] = [];
    for (const entry of before?.ranked ?? []) {
      const stands = entry.heldFrom <= now === entry.heldFrom <= (before?.now ?? now);
      if (stands && missing.delete(entry.session)) kept.push(entry);
    }
    const fresh = Array.from(missing, (session) => rank(session, sort, reversed, now)).sort(compare);
    const ranked =
      fresh.length > sessions.length * MOST_FRESH
        ? [...kept, ...fresh].sort(compare)
        : insertAll(kept, fresh, compare);
    last = { sort, reversed, now, ranked };
    return ranked.map(({ session }) => session);
  };
}

/** Both in order. Each of `fresh` finds its place by halving; what lies between is taken over as it is. */
function insertAll(
  kept: readonly Ranked[],
  fresh: readonly Ranked[],
  compare: typeof compareRanked,
): readonly Ranked[] {
  if (fresh.length === 0) return kept;
  const ranked: Ranked[] = [];
  let taken = 0;
  for (const entry of fresh) {
    let low = taken;
    let high = kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = kept[middle];
      if (other !== undefined && compare(other, entry) <= 0) low = middle + 1;
      else high = middle;
    }
    for (; taken < low; taken += 1) {
      const other = kept[taken];
      if (other !== undefined) ranked.push(other);
    }
    ranked.push(entry);
  }
  return ranked.concat(kept.slice(taken));
}
