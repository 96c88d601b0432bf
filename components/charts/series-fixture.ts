/** Builders for chart tests: a point, a context or a boundary with plain values for the fields a test leaves out. */
import type { SeriesPoint } from '@/core/api/series';
import type { Context } from '@/core/api/session';
import { testPoint } from '@/core/live/testing-rows';
import type { Boundary } from './list-marks';

export function pointOf(fields: Partial<SeriesPoint> & { n: number }): SeriesPoint {
  const { n, used = 50_000 } = fields;
  const nothing = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheCreation: 0,
    totalCacheRead: 0,
    totalCacheCreation: 0,
  };
  const sums = { cumulativeInput: 0, cumulativeOutput: 0, cumulativeCacheRead: 0 };
  return testPoint(n, { t: n * 60_000, used, ...nothing, ...sums, ...fields });
}

export function boundaryOf(fields: Partial<Boundary>): Boundary {
  return {
    id: 'b',
    eventId: 'b',
    kind: 'compaction',
    at: 0,
    turn: 0,
    contextAfter: 1,
    before: null,
    after: null,
    read: null,
    from: null,
    to: null,
    limit: null,
    trigger: 'auto',
    ...fields,
  };
}

export function contextOf(fields: Partial<Context> & Pick<Context, 'index'>): Context {
  return {
    chain: 'main',
    startedAt: null,
    endedAt: null,
    endedBy: null,
    turnCount: 0,
    totals: { input: 0, output: 0, cacheRead: 0, cacheCreation: 0, calls: 0 },
    peakOccupancy: null,
    lastOccupancy: null,
    firstOccupancy: null,
    cumulative: { input: 0, output: 0, cacheRead: 0 },
    limit: 200_000,
    complete: true,
    tracked: true,
    ...fields,
  };
}
