import type { SessionEvent } from '@/core/events/event';
import { formatLongDay } from '../../format/format-time';

/** An event with its index, or the head of a day. */
type StreamRow = { key: string; event: SessionEvent; index: number } | { key: string; day: string };

/** Events, newest first, with a head for each day of the viewer's zone. */
export function prepareRows(events: readonly SessionEvent[], zone: string): StreamRow[] {
  const rows: StreamRow[] = [];
  let day = '';
  let hour = '';
  events.forEach((event, index) => {
    // Days start at a quarter hour of UTC in every zone. Formatting each event would be slow.
    const quarter = event.at.slice(0, 14) + Math.floor(Number(event.at.slice(14, 16)) / 15);
    const next = quarter === hour ? day : formatLongDay(event.at, zone);
    if (next !== day) rows.push({ key: `day ${next} ${event.id}`, day: next });
    [day, hour] = [next, quarter];
    rows.push({ key: event.id, event, index });
  });
  return rows;
}
