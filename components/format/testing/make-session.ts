import type { PressureState } from '@/core/accounting/types';
import type { Session } from '@/core/api/session';

/** The time of all made sessions: nothing here reads a clock. */
export const MADE_AT = Date.parse('2026-01-23T18:04:00Z');

const totals = { input: 0, output: 0, cacheRead: 0, cacheCreation: 0, calls: 0 };

function stateOf(pressure: number): PressureState {
  if (pressure >= 1) return 'redlined';
  if (pressure >= 0.85) return 'critical';
  if (pressure >= 0.75) return 'warning';
  return pressure >= 0.5 ? 'elevated' : 'nominal';
}

/** An id that ends in a number, for tests to name sessions by. */
export function madeId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/**
 * A whole session from the few fields that matter; pressure and state follow from used and limit unless they
 * are given.
 */
export function makeSession(number: number, fields: Partial<Session> = {}): Session {
  const used = fields.used === undefined ? 100_000 : fields.used;
  const limit = fields.limit === undefined ? 200_000 : fields.limit;
  const pressure = used === null || limit === null ? null : used / limit;
  return {
    id: madeId(number),
    key: `session-${number}`,
    title: `Session ${number}`,
    project: 'acme/ledger',
    runner: 'runner-01',
    host: 'host-01',
    folder: null,
    branch: null,
    model: 'claude-opus-4-5',
    client: 'claude-code',
    clientVersion: '2.1.7',
    clientSessionIds: [],
    limit,
    limitSource: 'table',
    limitDate: '2026-01-12',
    lens: 'snapshot',
    pressure,
    state: pressure === null ? 'unknown' : stateOf(pressure),
    used,
    lastKnownUsed: used,
    estimated: false,
    complete: true,
    continuations: 0,
    compactions: 0,
    contextCount: 1,
    turnCount: 12,
    totals: { main: totals, side: totals, all: totals },
    tokensUntilWarning: null,
    tokensUntilRestart: null,
    restartLine: 0.9,
    bounds: null,
    compactsAt: null,
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
    sources: ['transcript'],
    coverage: [],
    previousId: null,
    forkedFromId: null,
    backfill: false,
    recomputing: false,
    startedAt: new Date(MADE_AT - 3_600_000).toISOString(),
    lastTurnAt: new Date(MADE_AT - 20_000).toISOString(),
    endedAt: null,
    liveness: 'live',
    compositionVersion: null,
    notesVersion: null,
    version: 1,
    ...fields,
  };
}

/** A forecast whose range reaches from half of `minutes` to twice as many. */
export function makeForecast(minutes: number | null): NonNullable<Session['forecast']> {
  const around = (mid: number) => ({ low: mid / 2, mid, high: mid * 2 });
  return {
    kind: 'compaction',
    at: 167_000,
    turns: minutes === null ? null : around(minutes * 2),
    minutes: minutes === null ? null : around(minutes),
    certainty: minutes === null ? 'early' : 'fair',
    tokensPerTurn: minutes === null ? null : 1_000,
  };
}

/** A boundary at `at` tokens, `minutes` away at the present rate. */
export function makeBoundary(
  minutes: number | null,
  fields: Partial<NonNullable<Session['nextBoundary']>> = {},
): NonNullable<Session['nextBoundary']> {
  const at = fields.at ?? 167_000;
  return {
    kind: 'compaction',
    at,
    left: 10_000,
    passed: false,
    turns: minutes === null ? null : minutes * 2,
    minutes,
    source: 'client',
    ...fields,
  };
}
