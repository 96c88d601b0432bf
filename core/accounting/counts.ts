import type { Usage } from '../protocol/items';
import type { Totals } from './types';

export const MAX_SUM = Number.MAX_SAFE_INTEGER;

export interface Counts {
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
  /** A reported count was negative: it counts as 0 here and is stored as it came. */
  negative: boolean;
}

export type CountField = 'input' | 'output' | 'cacheRead' | 'cacheCreation';

export function emptyTotals(): Totals {
  return { input: 0, output: 0, cacheRead: 0, cacheCreation: 0, calls: 0 };
}

/** What a usage report adds to sums, in tokens: absent fields and negative ones are 0. */
export function countUsage(usage: Usage): Counts {
  const { input = 0, output = 0, cacheRead = 0, cacheCreation = 0 } = usage;
  return {
    input: Math.max(0, input),
    output: Math.max(0, output),
    cacheRead: Math.max(0, cacheRead),
    cacheCreation: Math.max(0, cacheCreation),
    negative: input < 0 || output < 0 || cacheRead < 0 || cacheCreation < 0,
  };
}

/** The first field whose sum over main and side would pass 2^53−1, or null. */
export function findOverflow(
  main: Readonly<Totals>,
  side: Readonly<Totals>,
  counts: Readonly<Counts>,
): CountField | null {
  if (counts.input > MAX_SUM - main.input - side.input) return 'input';
  if (counts.output > MAX_SUM - main.output - side.output) return 'output';
  if (counts.cacheRead > MAX_SUM - main.cacheRead - side.cacheRead) return 'cacheRead';
  if (counts.cacheCreation > MAX_SUM - main.cacheCreation - side.cacheCreation) return 'cacheCreation';
  return null;
}

export function addCall(totals: Totals, counts: Readonly<Counts> | null): void {
  totals.calls += 1;
  if (counts === null) return;
  totals.input += counts.input;
  totals.output += counts.output;
  totals.cacheRead += counts.cacheRead;
  totals.cacheCreation += counts.cacheCreation;
}

export function addTotals(a: Readonly<Totals>, b: Readonly<Totals>): Totals {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheCreation: a.cacheCreation + b.cacheCreation,
    calls: a.calls + b.calls,
  };
}

/** What a model was sent, tokens: input did not come from the cache. */
export type Sent = Pick<Totals, 'input' | 'cacheRead' | 'cacheCreation'>;

/** Of all that was sent to the models the share that came from the cache; null: nothing was sent. */
export function cacheShareOf({ input, cacheRead, cacheCreation }: Sent): number | null {
  const sent = input + cacheRead + cacheCreation;
  return sent > 0 ? cacheRead / sent : null;
}
