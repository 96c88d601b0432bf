/** Rows for tests of the live feed: a session, a point and an event with defaults. */
import type { SeriesPoint } from '../api/series';
import type { Session } from '../api/session';
import type { SessionEvent } from '../events/event';
import { eventOf } from '../events/event.fixture';

const NO_TOTALS = { input: 0, output: 0, cacheRead: 0, cacheCreation: 0, calls: 0 };

export function testSession(changes: Partial<Session> = {}): Session {
  return {
    id: '6f1c7c4e-8f0a-5f1e-9d55-0d6d8f5f3a11',
    key: 'k',
    title: null,
    project: 'p',
    runner: 'r',
    host: null,
    folder: null,
    branch: null,
    model: null,
    client: null,
    clientVersion: null,
    clientSessionIds: [],
    limit: 200_000,
    limitSource: 'turn',
    limitDate: null,
    lens: 'snapshot',
    pressure: 0.5,
    state: 'elevated',
    used: 100_000,
    lastKnownUsed: 100_000,
    estimated: false,
    complete: true,
    continuations: 0,
    compactions: 0,
    contextCount: 1,
    turnCount: 0,
    totals: { main: NO_TOTALS, side: NO_TOTALS, all: NO_TOTALS },
    tokensUntilWarning: 50_000,
    tokensUntilRestart: 80_000,
    restartLine: 0.9,
    bounds: null,
    compactsAt: null,
    compactionPassed: null,
    nextBoundary: null,
    forecast: null,
    tokensPerMinute: null,
    tokensPerTurn: null,
    trouble: null,
    compacting: null,
    restartLinePassed: null,
    archiveFailure: null,
    trace: [],
    lastEvent: null,
    sources: [],
    coverage: [],
    previousId: null,
    forkedFromId: null,
    backfill: false,
    recomputing: false,
    startedAt: '2026-11-20T10:00:00.000Z',
    lastTurnAt: null,
    endedAt: null,
    liveness: 'live',
    compositionVersion: null,
    notesVersion: null,
    version: 1,
    ...changes,
  };
}

export function testPoint(n: number, changes: Partial<SeriesPoint> = {}): SeriesPoint {
  const used = changes.used === undefined ? n * 100 : changes.used;
  return {
    t: n * 1_000,
    n,
    context: 0,
    used,
    min: used,
    max: used,
    limit: 200_000,
    turns: 1,
    input: 1,
    output: 1,
    cacheRead: 1,
    cacheCreation: 1,
    cumulativeInput: n,
    cumulativeOutput: n,
    cumulativeCacheRead: n,
    totalCacheRead: n,
    totalCacheCreation: n,
    estimated: false,
    untracked: false,
    ...changes,
  };
}

export function testEvent(
  id: string,
  changes: Partial<Omit<SessionEvent, 'kind' | 'detail'>> = {},
): SessionEvent<'compaction'> {
  return eventOf({ at: '2026-11-20T10:00:00.000Z', turn: 1, ...changes, id, kind: 'compaction' });
}
