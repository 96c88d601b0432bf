/**
 * Absolute times in a given zone. The server does not know the viewer's zone: a page renders UTC first and
 * the zone of `useTimeZone()` after it woke up, so that both renders agree (components/data/use-time-zone.ts).
 */

import { formatAge } from './format-duration';

const DAY_MS = 86_400_000;

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(name: string, zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${name} ${zone}`;
  let found = formatters.get(key);
  if (found === undefined) {
    found = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone, hourCycle: 'h23' });
    formatters.set(key, found);
  }
  return found;
}

/** `17:51`. */
export function formatClock(at: number | string, zone: string): string {
  return formatter('clock', zone, { hour: '2-digit', minute: '2-digit' }).format(new Date(at));
}

/** `17:51:07`. */
export function formatClockSeconds(at: number | string, zone: string): string {
  return formatter('seconds', zone, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(
    new Date(at),
  );
}

/** `17:51` of the same day as `now`, else `23 Jan 17:51`: since when something is so. */
export function formatSince(at: number, now: number, zone: string): string {
  const clock = formatClock(at, zone);
  const day = formatDay(at, zone);
  return day === formatDay(now, zone) && Math.abs(now - at) < DAY_MS ? clock : `${day} ${clock}`;
}

/** `23 Jan`. */
export function formatDay(at: number | string, zone: string): string {
  return formatter('day', zone, { day: 'numeric', month: 'short' }).format(new Date(at));
}

/** `Friday 23 Jan 2026`. */
export function formatLongDay(at: number | string, zone: string): string {
  return formatter('long day', zone, {
    weekday: 'long',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  })
    .format(new Date(at))
    .replace(',', '');
}

/** `23 Jan 2026, 17:51:07 UTC`: for hover, whatever the range. */
export function formatInstant(at: number | string, zone: string): string {
  return formatter('instant', zone, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  }).format(new Date(at));
}

/** `3 m`, `5 h`; `11 Feb` from a day on; `11 Feb 2025` in another year. By the clocks of the zone. */
export function formatWhen(at: number, zone: string, now: number): string {
  if (now - at < DAY_MS) return formatAge(now - at);
  const year = (time: number) => formatter('year', zone, { year: 'numeric' }).format(time);
  const day = formatDay(at, zone);
  return year(at) === year(now) ? day : `${day} ${year(at)}`;
}
