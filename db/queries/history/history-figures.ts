import { cacheShareOf } from '../../../core/accounting/counts';
import { type HistoryFigures, historyFigures } from '../../../core/api/history';

/** Figures that are sums: all but the peak. */
export const SUMMED = historyFigures.omit({ cacheShare: true, peak: true }).keyof().options;

export type Sums = Omit<HistoryFigures, 'cacheShare'>;

export function noFigures(): Sums {
  const zeros = Object.fromEntries(SUMMED.map((name) => [name, 0]));
  return { ...(zeros as Record<(typeof SUMMED)[number], number>), peak: null };
}

/** @param sums in the order of `SUMMED` */
export function addFigures(to: Sums, sums: readonly number[], peak: number | null): void {
  SUMMED.forEach((name, index) => {
    to[name] += sums[index] ?? 0;
  });
  if (peak !== null) to.peak = Math.max(to.peak ?? 0, peak);
}

export function withCacheShare(sums: Readonly<Sums>): HistoryFigures {
  return { ...sums, cacheShare: cacheShareOf(sums) };
}
