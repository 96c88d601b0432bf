/** For tests: history as the API gives it. */
import type { History, HistoryFigures, HistoryPoint } from '@/core/api/history';

function testFigures(changes: Partial<HistoryFigures> = {}): HistoryFigures {
  return {
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
    ...changes,
  };
}

const HOUR = 3_600_000;
export const TEST_NOON = Date.UTC(2026, 9, 20, 12);

/** A slot of an hour, so many hours after noon. */
export function testPoint(hour: number, changes: Partial<HistoryFigures> = {}): HistoryPoint {
  return {
    from: new Date(TEST_NOON + hour * HOUR).toISOString(),
    to: new Date(TEST_NOON + (hour + 1) * HOUR).toISOString(),
    ...testFigures(changes),
  };
}

/** Twelve hours from noon on. */
export function testHistory(points: HistoryPoint[]): History {
  return {
    from: new Date(TEST_NOON).toISOString(),
    to: new Date(TEST_NOON + 12 * HOUR).toISOString(),
    zone: 'UTC',
    bucket: '1h',
    by: null,
    total: testFigures(),
    points,
    groups: [],
  };
}
