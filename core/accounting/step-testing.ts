/** A small session and its parts, for tests that compare every field of a step. */
import { FoldRun, START } from './fold-testing';
import type { FoldInput } from './fold-types';

/** A time in minutes after the start, and the other inputs of the fold. */
export const minute = (minutes: number, more: Partial<FoldInput> = {}) => ({
  at: START + minutes * 60_000,
  ...more,
});

/** A step without rows or events. */
export const nothing = { ok: true, turn: null, events: [], amends: null, closed: null, corrects: null };

export const noFlags = {
  estimated: false,
  untracked: false,
  noUsage: false,
  inherited: false,
  negative: false,
  clock: false,
  readingIgnored: false,
  readingOnly: false,
};

const nothingSpent = { input: 0, output: 0, cacheRead: 0 };
/** An empty context, as after a restart, a clear or a compaction. */
export const freshContext = {
  turnCount: 0,
  totals: { ...nothingSpent, cacheCreation: 0, calls: 0 },
  cumulative: nothingSpent,
  tracked: true,
  usageMissed: false,
  mainTurns: 0,
  lastMainAt: null,
  complete: true,
  reading: null,
  awaitsFirstReading: false,
  firstOccupancy: null,
  lastOccupancy: null,
  peakOccupancy: null,
};

/** A session of 1 000 tokens with one main turn at minute 1: 150 spent, its reading 300. */
export function startedRun(): FoldRun {
  const run = new FoldRun();
  run.add('session_start', { limit: 1_000, restartLine: 0.5 }, minute(0));
  run.add(
    'turn',
    { usage: { input: 100, output: 50, cacheRead: 7, cacheCreation: 3 }, contextTokens: 300, call: 'c1' },
    minute(1),
  );
  return run;
}

/** An event of the main chain's first context, after its first turn. */
export const eventAt = (kind: string, minutes: number, detail: object, more: object = {}) => ({
  kind,
  chain: 'main',
  context: 0,
  at: START + minutes * 60_000,
  turn: 1,
  detail,
  ...more,
});
