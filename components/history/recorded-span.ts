import type { History } from '@/core/api/history';
import { SHORTEST_RANGE_MS } from './history-range';

/** Share of the range that may be blank at its beginning before a shorter one is offered. */
export const MOST_BLANK = 0.6;

/**
 * From the first to the last slot in which something happened, milliseconds, where the range is blank for most of
 * its length before it: a first day of use, or one burst in a year. null where the range fits what it holds.
 */
export function recordedSpan({ from, to, points }: Pick<History, 'from' | 'to' | 'points'>) {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return null;
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const [begins, ends] = [Date.parse(first.from), Date.parse(last.to)];
  const isShort = end - start <= 2 * SHORTEST_RANGE_MS;
  return isShort || begins - start < MOST_BLANK * (end - start) ? null : { from: begins, to: ends };
}
