import type { Usage } from '../protocol/items';
import type { Totals } from './types';

export const MAX_SUM = Number.MAX_SAFE_INTEGER;

const FIELDS = ['input', 'output', 'cacheRead', 'cacheCreation'] as const;
type CountField = (typeof FIELDS)[number];

export interface Counts extends Record<CountField, number> {
  /** A reported count was negative. The count is stored as reported and counts as 0. */
  negative: boolean;
}

export function emptyTotals(): Totals {
  return { input: 0, output: 0, cacheRead: 0, cacheCreation: 0, calls: 0 };
}

export function countUsage(usage: Usage): Counts {
  const counts = { input: 0, output: 0, cacheRead: 0, cacheCreation: 0, negative: false };
  for (const field of FIELDS) {
    const tokens = usage[field] ?? 0;
    counts[field] = Math.max(0, tokens);
    counts.negative ||= tokens < 0;
  }
  return counts;
}

/** The first field that would raise the sum of main and side above 2^53−1. Null: no sum overflows. */
export function findOverflow(
  main: Readonly<Totals>,
  side: Readonly<Totals>,
  counts: Readonly<Counts>,
): CountField | null {
  return FIELDS.find((field) => counts[field] > MAX_SUM - main[field] - side[field]) ?? null;
}

export function addCall(totals: Totals, counts: Readonly<Counts> | null): void {
  totals.calls += 1;
  if (counts !== null) for (const field of FIELDS) totals[field] += counts[field];
}

export function isSameSpending(a: Readonly<Record<CountField, number>>, b: typeof a): boolean {
  return FIELDS.every((field) => a[field] === b[field]);
}

export function addTotals(a: Readonly<Totals>, b: Readonly<Totals>): Totals {
  const sum = { ...a, calls: a.calls + b.calls };
  for (const field of FIELDS) sum[field] += b[field];
  return sum;
}

/** Tokens sent to a model. `input` is the part that was not read from the cache. */
export type Sent = Pick<Totals, 'input' | 'cacheRead' | 'cacheCreation'>;

/** Share of the sent tokens that came from the cache; null: nothing was sent. */
export function cacheShareOf({ input, cacheRead, cacheCreation }: Sent): number | null {
  const sent = input + cacheRead + cacheCreation;
  return sent > 0 ? cacheRead / sent : null;
}
