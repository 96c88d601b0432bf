import type { HistoryFigures, HistoryPoint } from '@/core/api/history';

const HOUR = 3_600_000;

/** An hour with one turn. @param from milliseconds */
export function testPoint(from: number, figures: Partial<HistoryFigures> = {}): HistoryPoint {
  return {
    from: new Date(from).toISOString(),
    to: new Date(from + HOUR).toISOString(),
    turns: 1,
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheCreation: 0,
    cacheShare: null,
    restarts: 0,
    compactions: 0,
    thrashes: 0,
    cacheStorms: 0,
    peak: null,
    ...figures,
  };
}
