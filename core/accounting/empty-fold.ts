import { emptyGrowthRecord } from '../forecast/growth-record';
import { emptyTotals } from './counts';
import type { ChainFold, ContextFold, SessionFold } from './fold-types';
import type { BoundaryKind, SourceName } from './types';

export const MAIN_CHAIN = 'main';

export function emptySessionFold(): SessionFold {
  return {
    lens: 'cumulative',
    lensSource: null,
    sessionLimit: null,
    restartLine: null,
    compactsAt: null,
    client: null,
    clientVersion: null,
    backfill: false,
    started: false,
    ended: false,
    totals: { main: emptyTotals(), side: emptyTotals() },
    continuations: 0,
    compactions: 0,
    lastState: 'nominal',
    pastRestartLine: false,
    trace: [],
    lastTurnAt: null,
    chains: {},
  };
}

/** @param tracked whether the previous context was tracked */
export function emptyContext(
  index: number,
  tracked: boolean,
  startedBy: BoundaryKind | null = null,
  startedAt: number | null = null,
): ContextFold {
  return {
    index,
    startedBy,
    startedAt,
    turnCount: 0,
    totals: emptyTotals(),
    cumulative: { input: 0, output: 0, cacheRead: 0 },
    tracked,
    usageMissed: false,
    mainTurns: 0,
    lastMainAt: null,
    complete: true,
    reading: null,
    awaitsFirstReading: startedBy === 'compaction',
    firstOccupancy: null,
    lastOccupancy: null,
    peakOccupancy: null,
  };
}

export function emptyChain(): ChainFold {
  return {
    turnCount: 0,
    context: emptyContext(0, true),
    lastKnown: { cumulative: 0, snapshot: null },
    statedLimits: {},
    learned: {},
    estimate: null,
    compactedAt: [],
    passed: 0,
    limit: { tokens: null, source: 'none', at: null },
    model: null,
    time: null,
    compactions: [],
    basis: null,
    growth: [],
    record: emptyGrowthRecord(),
  };
}

export function openChain(state: SessionFold, key: string): ChainFold {
  const known = getOwn(state.chains, key);
  if (known !== undefined) return known;
  const chain = emptyChain();
  setOwn(state.chains, key, chain);
  return chain;
}

/** 0 is best. A figure of a better source replaces that of a lesser source. */
const SOURCE_RANK: Readonly<Record<SourceName, number>> = { transcript: 0, sdk: 1, hook: 2, otlp: 3 };

export function isAtLeast(source: SourceName, other: SourceName): boolean {
  return SOURCE_RANK[source] <= SOURCE_RANK[other];
}

/**
 * Safe access to records with untrusted keys: own keys only. `record[key]` would return a function for `constructor`
 * and change the prototype for `__proto__`.
 */
export function getOwn<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

export function setOwn<T>(record: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') {
    Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    record[key] = value;
  }
}
