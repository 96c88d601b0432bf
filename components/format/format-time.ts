import { formatAge } from './format-duration';

const DAY_MS = 86_400_000;

/** One formatter per zone, because they are expensive. */
function timeFormat(options: Intl.DateTimeFormatOptions) {
  const formatters = new Map<string, Intl.DateTimeFormat>();
  return (at: number | string, zone: string): string => {
    const formatter =
      formatters.get(zone) ??
      new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone, hourCycle: 'h23' });
    formatters.set(zone, formatter);
    return formatter.format(new Date(at));
  };
}

const DAY = { day: 'numeric', month: 'short' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;
const SECONDS = { ...CLOCK, second: '2-digit' } as const;

export const formatClock = timeFormat(CLOCK);
export const formatClockSeconds = timeFormat(SECONDS);
export const formatDay = timeFormat(DAY);
/** `23 Jan 2026, 17:51:07 UTC`: for hover, whatever the range. */
export const formatInstant = timeFormat({ ...DAY, year: 'numeric', ...SECONDS, timeZoneName: 'short' });
const formatYear = timeFormat({ year: 'numeric' });
const formatWeekday = timeFormat({ ...DAY, weekday: 'long', year: 'numeric' });

export function formatLongDay(at: number | string, zone: string): string {
  return formatWeekday(at, zone).replace(',', '');
}

/** `17:51` today, else `23 Jan 17:51`. */
export function formatSince(at: number, now: number, zone: string): string {
  const clock = formatClock(at, zone);
  const day = formatDay(at, zone);
  return day === formatDay(now, zone) && Math.abs(now - at) < DAY_MS ? clock : `${day} ${clock}`;
}

/** `3 min`, `5 h`; `11 Feb` after a day; `11 Feb 2025` in another year. */
export function formatWhen(at: number, zone: string, now: number): string {
  if (now - at < DAY_MS) return formatAge(now - at);
  const year = formatYear(at, zone);
  const day = formatDay(at, zone);
  return year === formatYear(now, zone) ? day : `${day} ${year}`;
}
