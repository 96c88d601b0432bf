/** A typed moment in the viewer's zone: `14:03`, `yesterday 14:03`, `3 Nov`, `2026-11-03 14:03:20`, `10 min ago`. */
import { instantOf, zoneOffsetMs } from '@/core/time/zone-offset';
import { readDay } from './local-text';

export interface Moment {
  /** Start, milliseconds since the epoch. */
  at: number;
  /** Length: a second, a minute or a day. */
  spanMs: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const UNIT_MS: Record<string, number> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const CLOCK = /(?:^|[\sT])([01]?\d|2[0-3])[:.]([0-5]\d)(?:[:.]([0-5]\d))?$/i;
const ISO_WITH_ZONE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;
const AGO = /^-?\s*(\d{1,5})\s*(s|sec|seconds?|m|min|minutes?|h|hours?|d|days?)(?:\s+ago)?$/i;

/** @param now `14:03` without a day means the latest 14:03 up to now. @returns null: no such moment */
export function parseMoment(text: string, zone: string, now: number): Moment | null {
  const words = text.trim().replaceAll(/[\s,]+/g, ' ');
  if (ISO_WITH_ZONE.test(words)) return exact(Date.parse(words), SECOND_MS);
  const [, count, unit = ''] = AGO.exec(words) ?? [];
  const unitMs = UNIT_MS[unit.charAt(0).toLowerCase()];
  if (unitMs !== undefined) return exact(now - Number(count) * unitMs, Math.min(unitMs, MINUTE_MS));
  const clock = CLOCK.exec(words);
  const [, hour, minute, second = null] = clock ?? [];
  const sinceMidnight =
    Number(hour ?? 0) * HOUR_MS + Number(minute ?? 0) * MINUTE_MS + Number(second) * SECOND_MS;
  const spanMs = clock === null ? DAY_MS : second === null ? MINUTE_MS : SECOND_MS;
  const dayWords = words.slice(0, clock?.index).trim().toLowerCase();
  const today = Math.floor((now + zoneOffsetMs(now, zone)) / DAY_MS) * DAY_MS;
  if (dayWords === '') {
    if (clock === null) return null;
    const at = instantOf(today + sinceMidnight, zone);
    return exact(at <= now ? at : instantOf(today - DAY_MS + sinceMidnight, zone), spanMs);
  }
  const day = dayOf(dayWords, today);
  return day === null ? null : exact(instantOf(day + sinceMidnight, zone), spanMs);
}

function exact(at: number, spanMs: number): Moment | null {
  return Number.isFinite(at) && at >= 0 ? { at, spanMs } : null;
}

/** Local midnight, as if the zone were UTC. A day without a year is the latest one up to today. */
function dayOf(words: string, today: number): number | null {
  if (words === 'today') return today;
  if (words === 'yesterday') return today - DAY_MS;
  const parts = words.split(/\.? /);
  const [day, month, year] = [/^\d{1,2}$/, /^[a-z]{3,9}$/, /^\d{4}$/].map((form) =>
    parts.find((part) => form.test(part)),
  );
  const index = MONTHS.indexOf(month?.slice(0, 3) ?? '') + 1;
  if (index === 0 || parts.length !== (year === undefined ? 2 : 3)) return readDay(words)?.getTime() ?? null;
  const two = (number: number | string) => String(number).padStart(2, '0');
  const inYear = (one: number | string) =>
    readDay(`${one}-${two(index)}-${two(day ?? '')}`)?.getTime() ?? null;
  if (year !== undefined) return inYear(year);
  const thisYear = new Date(today).getUTCFullYear();
  const found = inYear(thisYear);
  return found !== null && found > today ? inYear(thisYear - 1) : found;
}
