/** What a zone's clocks show, from the platform's own tables. */

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * What the zone's clocks show ahead of UTC at a moment, milliseconds; daylight saving included.
 * @throws RangeError for a zone that the platform does not know
 */
export function zoneOffsetMs(at: number, zone: string): number {
  let format = formats.get(zone);
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
    formats.set(zone, format);
  }
  const read: Record<string, number> = {};
  for (const part of format.formatToParts(at)) read[part.type] = Number(part.value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = read;
  const local = Date.UTC(year, month - 1, day, hour, minute, second);
  return local - Math.floor(at / 1000) * 1000;
}

/** Whether the platform knows the zone: `Europe/Berlin`, `UTC`. */
export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * When the zone's clocks first show a local time: of one that comes twice the first, of one that is left out the
 * moment of the jump.
 * @param local the wall clock's time as if it were UTC, milliseconds
 */
export function instantOf(local: number, zone: string): number {
  const before = local - zoneOffsetMs(local - DAY_MS, zone);
  const after = local - zoneOffsetMs(local + DAY_MS, zone);
  const shows = (at: number) => at + zoneOffsetMs(at, zone) === local;
  const [first, second] = before < after ? [before, after] : [after, before];
  if (shows(first)) return first;
  if (shows(second)) return second;
  let low = first;
  let high = second;
  while (high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
    if (middle === low) break;
    if (middle + zoneOffsetMs(middle, zone) < local) low = middle;
    else high = middle;
  }
  return high;
}
