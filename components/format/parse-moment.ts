/**
 * A typed moment: `14:03`, `yesterday 14:03`, `3 Nov 14:03`, `2026-11-03 14:03:20`, `10 min ago`. By the
 * viewer's clock, whatever the zone of the machine. Pure: zone and now are passed in.
 */
import { instantOf, zoneOffsetMs } from '@/core/time/zone-offset';

export interface Moment {
  /** When it begins, milliseconds since the epoch. */
  at: number;
  /** How much of time the words name: a second, a minute or a day. */
  spanMs: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const CLOCK = /(?:^|[\sT])(\d{1,2})[:.](\d\d)(?:[:.](\d\d))?$/i;
const ISO_WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;
const AGO = /^-?\s*(\d{1,5})\s*(s|sec|seconds?|m|min|minutes?|h|hours?|d|days?)(?:\s+ago)?$/i;

/**
 * @param now a moment that `14:03` alone lies before: the latest one that was; also today's day
 * @returns null for what names no moment
 */
export function parseMoment(text: string, zone: string, now: number): Moment | null {
  const words = text.trim().replaceAll(/[\s,]+/g, ' ');
  if (ISO_WITH_ZONE.test(words)) return exact(Date.parse(words), SECOND_MS);
  const ago = AGO.exec(words);
  if (ago !== null) {
    const unitMs = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }[
      ago[2]?.charAt(0).toLowerCase() ?? ''
    ];
    return exact(now - Number(ago[1]) * (unitMs ?? Number.NaN), unitMs === SECOND_MS ? SECOND_MS : MINUTE_MS);
  }
  const clock = CLOCK.exec(words);
  const dayWords = (clock === null ? words : words.slice(0, clock.index)).trim();
  const time = clock === null ? null : readClock(clock);
  if (time !== null && Number.isNaN(time.ms)) return null;
  const local = now + zoneOffsetMs(now, zone);
  const today = Math.floor(local / DAY_MS) * DAY_MS;
  if (dayWords === '') {
    if (time === null) return null;
    const at = instantOf(today + time.ms, zone);
    return exact(at <= now ? at : instantOf(today - DAY_MS + time.ms, zone), time.spanMs);
  }
  const day = readDay(dayWords.toLowerCase(), today);
  if (day === null) return null;
  return exact(instantOf(day + (time?.ms ?? 0), zone), time?.spanMs ?? DAY_MS);
}

function exact(at: number, spanMs: number): Moment | null {
  return Number.isFinite(at) && at >= 0 ? { at, spanMs } : null;
}

/** Milliseconds since midnight; NaN for what no clock shows. */
function readClock([, hour, minute, second]: RegExpExecArray): { ms: number; spanMs: number } {
  const [h, m, s] = [Number(hour), Number(minute), Number(second ?? 0)];
  const isOnClock = h < 24 && m < 60 && s < 60;
  return {
    ms: isOnClock ? h * HOUR_MS + m * MINUTE_MS + s * SECOND_MS : Number.NaN,
    spanMs: second === undefined ? MINUTE_MS : SECOND_MS,
  };
}

/** Local midnight as if it were UTC. A day without its year is the latest one that was. */
function readDay(words: string, today: number): number | null {
  if (words === 'today') return today;
  if (words === 'yesterday') return today - DAY_MS;
  const iso = /^(\d{4})-(\d\d)-(\d\d)$/.exec(words);
  if (iso !== null) return dayOf(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]));
  const named =
    /^(\d{1,2})\.? ([a-z]{3,9})\.?(?: (\d{4}))?$/.exec(words) ??
    swapped(/^([a-z]{3,9})\.? (\d{1,2})(?: (\d{4}))?$/.exec(words));
  if (named === null) return null;
  const [, day, month, year] = named;
  const index = MONTHS.indexOf(month?.slice(0, 3) ?? '');
  if (index < 0) return null;
  if (year !== undefined) return dayOf(Number(year), index, Number(day));
  const thisYear = new Date(today).getUTCFullYear();
  const found = dayOf(thisYear, index, Number(day));
  return found !== null && found > today ? dayOf(thisYear - 1, index, Number(day)) : found;
}

function swapped(match: RegExpExecArray | null): (string | undefined)[] | null {
  return match === null ? null : [match[0], match[2], match[1], match[3]];
}

/** Null: that month has no such day. */
function dayOf(year: number, month: number, day: number): number | null {
  const at = Date.UTC(year, month, day);
  const date = new Date(at);
  return date.getUTCMonth() === month && date.getUTCDate() === day ? at : null;
}
