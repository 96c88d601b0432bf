/** Which range the page shows: one of the usual ones, which ends now and moves on, or one from here to there. */
import type { History } from '@/core/api/history';
import { RANGE_MS, type RangeName } from '../../format/range-names';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

interface RangeChoice {
  range: RangeName;
  /** Both: the fixed range. The first alone: from there to now. */
  from: Date | null;
  to: Date | null;
}

export interface ShownRange {
  /** Milliseconds. */
  from: number;
  to: number;
  /** It ends now, and is read again as time goes on. */
  isLive: boolean;
}

export const SHORTEST_RANGE_MS = 5 * MINUTE;

/** @param now the server's time, milliseconds */
export function shownRange({ range, from, to }: RangeChoice, now: number): ShownRange {
  if (from !== null && to !== null && to.getTime() - from.getTime() >= SHORTEST_RANGE_MS) {
    return { from: from.getTime(), to: to.getTime(), isLive: false };
  }
  const since =
    from !== null && to === null && now - from.getTime() >= SHORTEST_RANGE_MS ? from.getTime() : null;
  const span = since === null ? RANGE_MS[range] : now - since;
  // Sooner than a slot of it passes.
  const period = span <= DAY ? 15_000 : MINUTE;
  // A step of its own clock: the same question as long as the answer is good enough.
  const end = (Math.floor(now / period) + 1) * period;
  return { from: since ?? end - span, to: end, isLive: true };
}

/** The range moved by half of its length, or made twice as long around its middle; never into the future. */
export function movedRange(
  { from, to }: ShownRange,
  move: 'earlier' | 'later' | 'wider',
  now: number,
): { from: Date; to: Date } {
  const span = to - from;
  const length = move === 'wider' ? span * 2 : span;
  const end = { earlier: to - span / 2, later: to + span / 2, wider: to + span / 2 }[move];
  const last = Math.min(end, Math.max(now, to));
  return { from: new Date(last - length), to: new Date(last) };
}

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
