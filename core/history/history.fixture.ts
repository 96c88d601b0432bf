/** Builds figures of the history for tests. */
import type { HistoryFigures } from '../api/history';

/** Figures that are zero or unknown unless they are given. */
export function figuresOf(given: Partial<HistoryFigures>): HistoryFigures {
  return {
    turns: 0,
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
    ...given,
  };
}
