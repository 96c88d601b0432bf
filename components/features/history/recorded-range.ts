/** Ranges that fit what was recorded, in place of ranges that are mostly blank. */
import type { History } from '@/core/api/history';
import { DEFAULT_RANGE, RANGE_MS } from '../../format/range-names';
import { SHORTEST_RANGE_MS } from './history-range';

/** Share of a range that may be blank at its beginning before a shorter one is offered. */
const MOST_BLANK = 0.6;

/** The recorded part of a mostly blank range, milliseconds; null where the range fits. */
export function recordedSpan({ from, to, points }: Pick<History, 'from' | 'to' | 'points'>) {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return null;
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const [begins, ends] = [Date.parse(first.from), Date.parse(last.to)];
  const isShort = end - start <= 2 * SHORTEST_RANGE_MS;
  return isShort || begins - start < MOST_BLANK * (end - start) ? null : { from: begins, to: ends };
}

export interface FirstRange {
  from: Date;
  /** null: up to now, and on. */
  to: Date | null;
}

const MINUTE = 60_000;
const SHORTEST_MS = 60 * MINUTE;
const DEFAULT_MS = RANGE_MS[DEFAULT_RANGE];

/**
 * The range to begin with where the default one is mostly blank: a first hour of use, or a fleet at rest for days.
 * @param newestAt time of the newest turn, milliseconds; null: none
 * @param firstAt time of the first record since a moment, milliseconds; null: none
 * @returns null: the default range
 */
export async function firstRange(
  now: number,
  newestAt: number | null,
  firstAt: (since: number) => Promise<number | null>,
): Promise<FirstRange | null> {
  if (newestAt === null) return null;
  const isLive = newestAt > now - DEFAULT_MS;
  const end = isLive ? now : newestAt + MINUTE;
  const begins = (await firstAt(end - DEFAULT_MS)) ?? end;
  const isBlank = begins - (end - DEFAULT_MS) >= MOST_BLANK * DEFAULT_MS;
  if (isLive && !isBlank) return null;
  const from = isBlank ? Math.min(begins, end - SHORTEST_MS) : end - DEFAULT_MS;
  return { from: new Date(wholeMinute(from)), to: isLive ? null : new Date(wholeMinute(end) + MINUTE) };
}

function wholeMinute(at: number): number {
  return Math.floor(at / MINUTE) * MINUTE;
}
