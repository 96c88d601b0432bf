import type { SessionEvent } from '@/core/events/event';
import { formatLongDay } from '../../format/format-time';

/** An event by its place among the events, or the name of the day that begins. */
type StreamRow = { key: string; event: SessionEvent; index: number } | { key: string; day: string };

/** Events, the newest first, and a row where another day of the viewer begins. */
export function prepareRows(events: readonly SessionEvent[], zone: string): StreamRow[] {
  const rows: StreamRow[] = [];
  let day = '';
  let hour = '';
  events.forEach((event, index) => {
    // One format for each hour of UTC and its quarters, where days may begin: one for each event would be slow.
    const quarter = event.at.slice(0, 14) + Math.floor(Number(event.at.slice(14, 16)) / 15);
    const next = quarter === hour ? day : formatLongDay(event.at, zone);
    if (next !== day) rows.push({ key: `day ${next} ${event.id}`, day: next });
    [day, hour] = [next, quarter];
    rows.push({ key: event.id, event, index });
  });
  return rows;
}
