import { cacheShareOf } from '../../../core/accounting/counts';
import type { HistoryFigures } from '../../../core/api/history';

type Sums = Omit<HistoryFigures, 'cacheShare'>;

export function noFigures(): Sums {
  return {
    turns: 0,
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheCreation: 0,
    restarts: 0,
    compactions: 0,
    thrashes: 0,
    cacheStorms: 0,
    peak: null,
  };
}

/** Add figures in place. */
export function addFigures(to: Sums, figures: Readonly<Sums>): void {
  to.turns += figures.turns;
  to.input += figures.input;
  to.output += figures.output;
  to.cacheRead += figures.cacheRead;
  to.cacheCreation += figures.cacheCreation;
  to.restarts += figures.restarts;
  to.compactions += figures.compactions;
  to.thrashes += figures.thrashes;
  to.cacheStorms += figures.cacheStorms;
  if (figures.peak !== null) to.peak = Math.max(to.peak ?? 0, figures.peak);
}

/** Add the cache share, as on the fleet page. */
export function withCacheShare(sums: Readonly<Sums>): HistoryFigures {
  return { ...sums, cacheShare: cacheShareOf(sums) };
}
