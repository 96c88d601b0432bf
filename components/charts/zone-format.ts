/** Times of the axis in the viewer's zone. */
import { formatClock, formatClockSeconds, formatDay } from '@/components/format/format-time';
import type { ZoneFormat } from './prepare-axes';

const parts = new Map<string, Intl.DateTimeFormat>();

/** What the zone's clocks show ahead of UTC at a moment, milliseconds; daylight saving included. */
export function zoneOffsetMs(at: number, zone: string): number {
  let format = parts.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    parts.set(zone, format);
  }
  const read: Record<string, number> = {};
  for (const part of format.formatToParts(at)) read[part.type] = Number(part.value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = read;
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  return local - Math.floor(at / 1000) * 1000;
}

export function zoneFormat(zone: string): ZoneFormat {
  return {
    offsetMs: (at) => zoneOffsetMs(at, zone),
    clock: (at) => formatClock(at, zone),
    clockSeconds: (at) => formatClockSeconds(at, zone),
    day: (at) => formatDay(at, zone),
  };
}
