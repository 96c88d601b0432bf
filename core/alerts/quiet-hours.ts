import { instantOf, zoneOffsetMs } from '../time/zone-offset';
import type { QuietHours } from './rule';

const DAY_MS = 86_400_000;

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/**
 * End of the quiet hours that contain a moment, milliseconds; null: the moment is not in quiet hours. `from` equal to
 * `to` means the whole day. A day is the day on which the quiet hours begin.
 */
export function quietUntil({ zone, from, to, days }: QuietHours, at: number): number | null {
  const local = at + zoneOffsetMs(at, zone);
  const midnight = Math.floor(local / DAY_MS) * DAY_MS;
  const start = minutesOf(from) * 60_000;
  const length = (minutesOf(to) * 60_000 - start + DAY_MS) % DAY_MS || DAY_MS;
  let end: number | null = null;
  for (const day of [midnight - DAY_MS, midnight]) {
    if (!days.includes(new Date(day).getUTCDay())) continue;
    const begins = instantOf(day + start, zone);
    const ends = instantOf(day + start + length, zone);
    if (at >= begins && at < ends && ends > (end ?? 0)) end = ends;
  }
  return end;
}
