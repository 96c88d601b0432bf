/** Joins data of several reads: events, and the points of a zoomed range. Pure. */
import type { SeriesPoint } from '@/core/api/series';
import type { SessionEvent } from '@/core/events/event';

/**
 * Join pieces into one list, oldest first, with each event once in its highest revision. Each piece keeps the server's
 * order. Pieces are merged by time.
 */
export function joinEvents(pieces: ReadonlyArray<readonly SessionEvent[]>): SessionEvent[] {
  const newest = new Map<string, SessionEvent>();
  let joined: SessionEvent[] = [];
  for (const piece of pieces) {
    const added: SessionEvent[] = [];
    for (const event of piece) {
      const held = newest.get(event.id);
      if (held === undefined) added.push(event);
      if (held === undefined || event.revision > held.revision) newest.set(event.id, event);
    }
    joined = mergeByTime(joined, added);
  }
  return joined.map((event) => newest.get(event.id) ?? event);
}

function mergeByTime(held: readonly SessionEvent[], added: readonly SessionEvent[]): SessionEvent[] {
  if (added.length === 0) return [...held];
  const merged: SessionEvent[] = [];
  let next = 0;
  for (const event of held) {
    for (let one = added[next]; one !== undefined && one.at < event.at; one = added[next]) {
      merged.push(one);
      next += 1;
    }
    merged.push(event);
  }
  return [...merged, ...added.slice(next)];
}

/** Whether a time is in the zoomed range, milliseconds; null: no bound on that side. */
export function isWithin(at: number, { from, to }: { from: number | null; to: number | null }): boolean {
  return (from === null || at >= from) && (to === null || at <= to);
}

/** Replace the zoomed part of the whole series by its detailed points. @param zoomed null: not read yet */
export function joinZoomed(
  whole: readonly SeriesPoint[],
  zoomed: readonly SeriesPoint[] | null,
): readonly SeriesPoint[] {
  const first = zoomed?.[0];
  const last = zoomed?.at(-1);
  if (!zoomed || !first || !last) return whole;
  const before = whole.filter((point) => point.n <= first.n - first.turns);
  return [...before, ...zoomed, ...whole.filter((point) => point.n > last.n)];
}
