/** The shown range: a named range that ends now and moves, or a fixed range. Times are milliseconds. */
import type { History } from '@/core/api/history';
import { DEFAULT_RANGE, RANGE_MS, RANGE_NAMES, type RangeName } from '../../format/range-names';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface RangeChoice {
  range: RangeName;
  /** Both set: a fixed range. Only `from` set: from there to now. */
  from: Date | null;
  to: Date | null;
}

export interface ShownRange {
  from: number;
  to: number;
  /** The range ends now and is read again as time passes. */
  isLive: boolean;
}

export const SHORTEST_RANGE_MS = 5 * MINUTE;

/** @param now the server's time */
export function shownRange({ range, from, to }: RangeChoice, now: number): ShownRange {
  const start = from?.getTime() ?? Number.POSITIVE_INFINITY;
  const isValid = (to?.getTime() ?? now) - start >= SHORTEST_RANGE_MS;
  if (isValid && to !== null) return { from: start, to: to.getTime(), isLive: false };
  const span = isValid ? now - start : RANGE_MS[range];
  // The period is shorter than a bucket of the range.
  const period = span <= 24 * HOUR ? 15_000 : MINUTE;
  // The end changes once per period, and so does the query key.
  const end = (Math.floor(now / period) + 1) * period;
  return { from: isValid ? start : end - span, to: end, isLive: true };
}

/** The range, moved by half of its length or made twice as long; never into the future. */
export function movedRange({ from, to }: ShownRange, move: 'earlier' | 'later' | 'wider', now: number) {
  const span = to - from;
  const length = move === 'wider' ? span * 2 : span;
  const end = move === 'earlier' ? to - span / 2 : to + span / 2;
  const last = Math.min(end, Math.max(now, to));
  return { from: new Date(last - length), to: new Date(last) };
}

type Recorded = Pick<History, 'from' | 'to' | 'points'>;

/** The recorded part of a range if at least its first 60 % is blank; null: the range fits. */
export function recordedSpan({ from, to, points }: Recorded): { from: number; to: number } | null {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return null;
  const [start, end, begins] = [from, to, first.from].map(Date.parse) as [number, number, number];
  const isShort = end - start <= 2 * SHORTEST_RANGE_MS;
  return isShort || begins - start < 0.6 * (end - start) ? null : { from: begins, to: Date.parse(last.to) };
}

/**
 * The URL's range for the first view: the recorded part of the last day, but at least one hour. If the last day has no
 * turns, it is the recorded part of the shortest named range that has a turn, up to the newest turn. If no named range
 * has a turn, it is the last day with turns.
 * @param read loads a range
 * @returns empty: the default range fits
 */
export async function firstRange(
  now: number,
  newestAt: number,
  read: (from: number, to: number) => Promise<Recorded>,
): Promise<{ from?: string; to?: string }> {
  const range = RANGE_NAMES.find((name) => newestAt > now - RANGE_MS[name]);
  const isLive = newestAt > now - RANGE_MS[DEFAULT_RANGE];
  const end = isLive ? now : (Math.floor(newestAt / MINUTE) + 1) * MINUTE;
  const found = await read(
    isLive || range === undefined ? end - RANGE_MS[DEFAULT_RANGE] : now - RANGE_MS[range],
    end,
  );
  const span = isLive ? recordedSpan(found) : null;
  if (isLive && span === null) return {};
  const begin = span?.from ?? Date.parse(found.points[0]?.from ?? found.from);
  const from = new Date(Math.min(begin, end - HOUR)).toISOString();
  return isLive ? { from } : { from, to: new Date(end).toISOString() };
}
