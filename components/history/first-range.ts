/** What the page begins with where neither the address nor the browser says which range. Pure: the clock is passed in. */
import { DEFAULT_RANGE, RANGE_MS } from './history-range';
import { MOST_BLANK } from './recorded-span';

export interface FirstRange {
  from: Date;
  /** null: up to now, and on. */
  to: Date | null;
}

const MINUTE = 60_000;
/** A first turn still gets an hour of paper. */
const SHORTEST_MS = 60 * MINUTE;
const USUAL_MS = RANGE_MS[DEFAULT_RANGE];

/**
 * The stretch that holds something, where the usual range is blank for most of its length: a first hour of use, or a fleet
 * that has rested for days. null: the usual range.
 * @param newestAt when the newest turn came, milliseconds; null: none ever did
 * @param firstAt when the first thing was recorded since a moment, milliseconds; null: nothing was
 */
export async function firstRange(
  now: number,
  newestAt: number | null,
  firstAt: (since: number) => Promise<number | null>,
): Promise<FirstRange | null> {
  if (newestAt === null) return null;
  const isLive = newestAt > now - USUAL_MS;
  const end = isLive ? now : newestAt + MINUTE;
  const begins = (await firstAt(end - USUAL_MS)) ?? end;
  const isBlank = begins - (end - USUAL_MS) >= MOST_BLANK * USUAL_MS;
  if (isLive && !isBlank) return null;
  const from = isBlank ? Math.min(begins, end - SHORTEST_MS) : end - USUAL_MS;
  return { from: new Date(wholeMinute(from)), to: isLive ? null : new Date(wholeMinute(end) + MINUTE) };
}

function wholeMinute(at: number): number {
  return Math.floor(at / MINUTE) * MINUTE;
}
