/** How long ago; from a day on the date. */
import { formatAge } from './format-duration';
import { formatDay } from './format-time';

const DAY_MS = 86_400_000;

/** `3 m`, `5 h`; `11 Feb` from a day on; `11 Feb 2025` in another year. By the clocks of the zone. */
export function formatWhen(at: number, zone: string, now: number): string {
  if (now - at < DAY_MS) return formatAge(now - at);
  const year = (time: number) =>
    new Intl.DateTimeFormat('en-GB', { year: 'numeric', timeZone: zone }).format(time);
  const day = formatDay(at, zone);
  return year(at) === year(now) ? day : `${day} ${year(at)}`;
}
