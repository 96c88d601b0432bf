import type { HistoryFigures, HistoryPoint } from '@/core/api/history';
import { figuresOf } from '@/core/history/history.fixture';

const HOUR = 3_600_000;

/** An hour with one turn. @param from milliseconds */
export function testPoint(from: number, figures: Partial<HistoryFigures> = {}): HistoryPoint {
  return {
    from: new Date(from).toISOString(),
    to: new Date(from + HOUR).toISOString(),
    ...figuresOf({ turns: 1, ...figures }),
  };
}
