/** Sessions for tests, from the few fields that matter. */
import type { PressureState } from '@/core/accounting/types';
import type { Session } from '@/core/api/session';
import { testSession } from '@/core/live/testing-rows';

/** The current time of all generated sessions. */
export const MADE_AT = Date.parse('2026-01-23T18:04:00Z');

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

const CLAUDE: Partial<Session> = {
  model: 'claude-opus-4-5',
  client: 'claude-code',
  clientVersion: '2.1.7',
  limitSource: 'table',
  limitDate: '2026-01-12',
  sources: ['transcript'],
};

/** Pressure and state follow from used and limit unless they are given. */
export function makeSession(number: number, fields: Partial<Session> = {}): Session {
  const { used = 100_000, limit = 200_000 } = fields;
  const pressure = used === null || limit === null ? null : used / limit;
  return testSession({
    ...CLAUDE,
    id: madeId(number),
    key: `session-${number}`,
    title: `Session ${number}`,
    project: 'acme/ledger',
    runner: 'runner-01',
    host: 'host-01',
    limit,
    pressure,
    state: pressure === null ? 'unknown' : stateOf(pressure),
    used,
    lastKnownUsed: used,
    turnCount: 12,
    startedAt: new Date(MADE_AT - 3_600_000).toISOString(),
    lastTurnAt: new Date(MADE_AT - 20_000).toISOString(),
    ...fields,
  });
}

/** A forecast with a range from half of `minutes` to twice as many. */
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

/** A boundary at `at` tokens, `minutes` away at the current rate. */
export function makeBoundary(
  minutes: number | null,
  fields: Partial<NonNullable<Session['nextBoundary']>> = {},
): NonNullable<Session['nextBoundary']> {
  return {
    kind: 'compaction',
    at: 167_000,
    left: 10_000,
    passed: false,
    turns: minutes === null ? null : minutes * 2,
    minutes,
    source: 'client',
    ...fields,
  };
}

export function sessionOf(fields: Partial<Session> = {}): Session {
  const totals = { input: 100, output: 200, cacheRead: 5_000_000, cacheCreation: 300, calls: 10 };
  return testSession({
    ...CLAUDE,
    id: madeId(1),
    key: 'claude-code:folder/file',
    title: 'Line-level attribution',
    project: 'demo',
    runner: 'import',
    host: 'soph-mbp',
    folder: '/home/soph/devenv/cli',
    branch: 'main',
    clientSessionIds: ['cd95adda-dd32'],
    pressure: 0.68,
    used: 136_000,
    lastKnownUsed: 136_000,
    turnCount: 10,
    totals: { main: totals, side: totals, all: totals },
    tokensUntilWarning: 14_000,
    tokensUntilRestart: 44_000,
    compactsAt: 167_000,
    compactionPassed: null,
    nextBoundary: makeBoundary(18, { left: 31_000, turns: 16, source: 'rule' }),
    forecast: {
      ...makeForecast(18),
      turns: { low: 9, mid: 16, high: 27 },
      minutes: { low: 10, mid: 18, high: 31 },
      tokensPerTurn: 1_900,
    },
    tokensPerMinute: 1_500,
    tokensPerTurn: 1_700,
    startedAt: new Date(0).toISOString(),
    lastTurnAt: new Date(600_000).toISOString(),
    ...fields,
  });
}
