/** Rows of the list: events, the newest first, and a line where another day begins. Pure: the zone is passed in. */
import type { SessionEvent } from '@/core/events/event';
import { zoneOffsetMs } from '@/core/time/zone-offset';
import { formatLongDay } from '../../format/format-time';

export type StreamRow =
  | { type: 'day'; key: string; label: string }
  /** `index`: place among the events, from 0. */
  | { type: 'event'; key: string; event: SessionEvent; index: number };

const DAY_MS = 24 * 60 * 60_000;

export function prepareRows(events: readonly SessionEvent[], zone: string): StreamRow[] {
  const rows: StreamRow[] = [];
  let label = '';
  /** The stretch that is known to lie in the day of `label`: a format for each event would be slow. */
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  events.forEach((event, index) => {
    const at = Date.parse(event.at);
    if (at < from || at >= to) {
      const offset = zoneOffsetMs(at, zone);
      const local = at + offset;
      from = local - (local % DAY_MS) - offset;
      to = from + DAY_MS;
      const day = formatLongDay(at, zone);
      // A day of 25 hours is one day.
      if (day !== label) rows.push({ type: 'day', key: `day ${day} ${event.id}`, label: day });
      label = day;
    }
    rows.push({ type: 'event', key: event.id, event, index });
  });
  return rows;
}

/** Where an event leads: its place in its session. */
export function eventHref({ sessionId, id }: Pick<SessionEvent, 'sessionId' | 'id'>): string {
  return `/sessions/${sessionId}?event=${encodeURIComponent(id)}`;
}
