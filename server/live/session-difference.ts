/** What was added between two readings of a session's newest end. Null: more than additions happened. */
import type { SeriesPoint } from '../../core/api/series';
import type { SessionEvent } from '../../core/api/session';
import type { ChainSums, SessionTail } from '../../db/queries/load-session-tail';

/** Turns at the end that are compared with what was sent: an answer still being written changes them. */
export const OVERLAP_TURNS = 8;

/** Turns that follow what was sent, as points; null when something else changed as well. */
export function addedPoints(before: SessionTail, after: SessionTail): SeriesPoint[] | null {
  const overlap = before.turns.slice(-OVERLAP_TURNS);
  const first = overlap[0];
  if (!first) {
    // Nothing was there: all there is now is new, if this is all of it.
    const all = after.turns.map(({ point }) => point);
    return sameSums(sumsOf(all), after.sums) ? all : null;
  }
  if (after.turns[0]?.position !== first.position) return null;
  let same = 0;
  while (same < overlap.length && isSame(overlap[same], after.turns[same])) same += 1;
  // The first one changed: those before it may have as well.
  if (same === 0) return null;
  const replaced = sumsOf(overlap.slice(same).map(({ point }) => point));
  const added = after.turns.slice(same).map(({ point }) => point);
  const expected = addSums(before.sums, sumsOf(added), replaced);
  return sameSums(expected, after.sums) ? added : null;
}

function isSame(
  a: SessionTail['turns'][number] | undefined,
  b: SessionTail['turns'][number] | undefined,
): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Events that are new or changed; null when one is gone, or more changed than the end shows. */
export function addedEvents(before: SessionTail, after: SessionTail): SessionEvent[] | null {
  const known = new Map(before.events.map((event) => [event.id, event]));
  const added: SessionEvent[] = [];
  let fresh = 0;
  let revisions = 0;
  for (const event of after.events) {
    const old = known.get(event.id);
    if (old && JSON.stringify(old) === JSON.stringify(event)) continue;
    if (!old) fresh += 1;
    revisions += event.revision - (old?.revision ?? 0);
    added.push(event);
  }
  const isAll =
    after.eventCount === before.eventCount + fresh &&
    after.eventRevisions === before.eventRevisions + revisions;
  return isAll ? added : null;
}

const SUMS = ['turns', 'input', 'output', 'cacheRead', 'cacheCreation'] as const;

function sumsOf(points: readonly ChainSums[]): ChainSums {
  const sums: ChainSums = { turns: 0, input: 0, output: 0, cacheRead: 0, cacheCreation: 0 };
  for (const point of points) for (const key of SUMS) sums[key] += point[key];
  return sums;
}

function addSums(base: ChainSums, added: ChainSums, removed: ChainSums): ChainSums {
  const sums = { ...base };
  for (const key of SUMS) sums[key] += added[key] - removed[key];
  return sums;
}

function sameSums(a: ChainSums, b: ChainSums): boolean {
  return SUMS.every((key) => a[key] === b[key]);
}
