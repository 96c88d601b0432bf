interface Zone {
  format: Intl.DateTimeFormat;
  /** Cache of offsets per quarter of an hour, because the platform is slow. No zone changes within a quarter. */
  offsets: Map<number, number>;
}

const zones = new Map<string, Zone>();
const QUARTER_MS = 900_000;
/** Full caches are cleared. */
const MOST_OFFSETS = 10_000;
const MOST_ZONES = 1_000;

/** Offset from UTC at a moment, milliseconds, with daylight saving. @throws RangeError for an unknown zone */
export function zoneOffsetMs(at: number, zone: string): number {
  const { format, offsets } = zoneOf(zone);
  const quarter = Math.floor(at / QUARTER_MS);
  const known = offsets.get(quarter);
  if (known !== undefined) return known;
  const read: Record<string, number> = {};
  for (const part of format.formatToParts(quarter * QUARTER_MS)) read[part.type] = Number(part.value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = read;
  const offset = Date.UTC(year, month - 1, day, hour, minute, second) - quarter * QUARTER_MS;
  if (offsets.size >= MOST_OFFSETS) offsets.clear();
  offsets.set(quarter, offset);
  return offset;
}

function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (zones.size >= MOST_ZONES) zones.clear();
  const zone = { format, offsets: new Map<number, number>() };
  zones.set(name, zone);
  return zone;
}

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

/** The first moment with this local time (milliseconds as if UTC). For a skipped time: the clock change. */
export function instantOf(local: number, zone: string): number {
  const before = local - zoneOffsetMs(local - DAY_MS, zone);
  const after = local - zoneOffsetMs(local + DAY_MS, zone);
  // No zone changes its clocks twice within two days.
  if (before === after) return before;
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
