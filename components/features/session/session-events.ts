/** Events of the page that were read in pieces, as one list: the newest, older pages, marks, the one of the address. Pure. */
import type { SessionEvent } from '@/core/events/event';

/**
 * One list, oldest first, each event once in its highest revision. Within a piece the order is the server's; between
 * pieces, by time.
 * @param pieces each oldest first
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

/** Events of a stretch of time, milliseconds; null: open at that side. */
export function eventsWithin(
  events: readonly SessionEvent[],
  from: number | null,
  to: number | null,
): readonly SessionEvent[] {
  if (from === null && to === null) return events;
  return events.filter(({ at }) => {
    const time = Date.parse(at);
    return (from === null || time >= from) && (to === null || time <= to);
  });
}
