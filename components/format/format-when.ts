/** How long ago, and of what is a day old the day: nobody knows what day was 282 days ago. */
import { formatAge } from './format-duration';
import { formatDay } from './format-time';

const DAY_MS = 86_400_000;

/** `3 m`, `5 h`; `11 Feb` from a day on; `11 Feb 2025` in another year. By the clocks of the zone. */
export function formatWhen(at: number, zone: string, now: number): string {
  if (now - at < DAY_MS) return formatAge(now - at);
  const year = (time: number) =>
    new Intl.DateTimeFormat('en-GB', { year: 'numeric', timeZone: zone }).format(time);
  // Within half a year the day tells the year too, but for the turn of it.
  const day = formatDay(at, zone);
  return year(at) === year(now) ? day : `${day} ${year(at)}`;
}
