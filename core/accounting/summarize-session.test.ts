import { describe, expect, it } from 'vitest';
import { emptySessionFold } from './fold';
import { FoldRun, START, snapshotRun } from './fold-testing';
import { summarizeSession } from './summarize-session';
import { DEFAULT_THRESHOLDS } from './thresholds';

const summaryOf = (run: FoldRun, overrides = {}) =>
  summarizeSession(run.state, { ...DEFAULT_THRESHOLDS, ...overrides });

/** A Claude Code session of this version with this reading. No limit is stated. */
function claudeCode(clientVersion: string, tokens: number) {
  const run = new FoldRun();
  run.add('session_start', { lens: 'snapshot', client: 'claude-code', clientVersion });
  run.reads(tokens, { model: 'claude-opus-4-5-20251101' });
  return run;
}

describe('the date of a limit', () => {
  it('is the date in the model table, and null for limits from other sources', () => {
    expect(summaryOf(claudeCode('2.1.7', 100_000))).toMatchObject({
      limitSource: 'table',
      limitDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
    const stated = new FoldRun();
    stated.add('session_start', { lens: 'snapshot', limit: 150_000 });
    stated.reads(100_000, { model: 'claude-opus-4-5-20251101' });
    expect(summaryOf(stated)).toMatchObject({ limitSource: 'session', limitDate: null });
    expect(summarizeSession(emptySessionFold(), DEFAULT_THRESHOLDS).limitDate).toBeNull();
  });
});

describe('the bounds of the states', () => {
  it('are null for the defaults', () => {
    const run = claudeCode('2.1.7', 100_000);
    expect(summaryOf(run).bounds).toBeNull();
    expect(summaryOf(run, { warning: 0.6, restartLine: 0.7 }).bounds).toEqual({
      elevated: 0.5,
      warning: 0.6,
      critical: 0.85,
      redlined: 1,
    });
  });
});

describe('a session’s summary', () => {
  it('without items describes a cumulative session at 0 % of an assumed limit', () => {
    expect(summarizeSession(emptySessionFold(), DEFAULT_THRESHOLDS)).toMatchObject({
      lens: 'cumulative',
      limit: 200_000,
      limitSource: 'assumed',
      pressure: 0,
      state: 'nominal',
      contextCount: 1,
      turnCount: 0,
      lastTurnAtMs: null,
    });
  });

  it('reads 0.0 and "untracked" while tracking is off, and keeps the last known value', () => {
    const run = new FoldRun();
    run.turn([600, 100], { limit: 1_000 });
    run.add('turn', { usage: null });
    expect(summaryOf(run)).toMatchObject({
      pressure: 0,
      state: 'untracked',
      used: null,
      lastKnownUsed: 700,
      nextBoundary: null,
    });
  });

  it('shows tokens and no percentage if no limit is known', () => {
    const run = snapshotRun();
    run.reads(90_000);
    expect(summaryOf(run)).toMatchObject({ used: 90_000, pressure: null, limit: null, state: 'unknown' });
    expect(summaryOf(run)).toMatchObject({
      nextBoundary: null,
      tokensUntilWarning: null,
      tokensUntilRestart: null,
    });
  });

  it('counts tokens until warning and restart line', () => {
    const run = snapshotRun(200_000);
    run.reads(100_000);
    expect(summaryOf(run)).toMatchObject({
      tokensUntilWarning: 50_000,
      tokensUntilRestart: 80_000,
      restartLine: 0.9,
    });
    expect(summaryOf(run, { restartLine: 1.1 })).toMatchObject({
      tokensUntilRestart: null,
      restartLine: null,
    });
  });

  it('follows readings if sums are untracked, and never marks sums as estimated', () => {
    const snapshot = snapshotRun(200_000);
    snapshot.add('turn', { usage: null, contextTokens: 50_000 });
    expect(summaryOf(snapshot)).toMatchObject({ pressure: 0.25, state: 'nominal' });
    const cumulative = new FoldRun();
    cumulative.turn([10, 10], { contextTokens: 9_000, basis: 'estimate' });
    expect(summaryOf(cumulative)).toMatchObject({ used: 20, estimated: false });
  });

  it('names the limit of the last turn with its source', () => {
    const run = snapshotRun(200_000);
    run.reads(10, { limit: 100_000 });
    expect(summaryOf(run)).toMatchObject({ limit: 100_000, limitSource: 'turn' });
  });

  it('counts down to the restart line only if the runner declared a line or restarted', () => {
    const boundaryOf = (run: FoldRun) => {
      run.reads(10_000);
      return summaryOf(run).nextBoundary?.source;
    };
    expect(boundaryOf(snapshotRun(200_000))).toBe('limit');
    const declared = snapshotRun(200_000);
    declared.add('session_start', { restartLine: 0.8 });
    expect(boundaryOf(declared)).toBe('runner');
    const restarting = snapshotRun(200_000);
    restarting.add('restart', {});
    expect(boundaryOf(restarting)).toBe('runner');
  });

  it('survives a round trip through JSON', () => {
    const run = claudeCode('2.1.39', 90_000);
    const stored = JSON.parse(JSON.stringify(run.state));
    expect(summarizeSession(stored, DEFAULT_THRESHOLDS)).toEqual(summaryOf(run));
  });
});

describe('the next boundary', () => {
  it('is the client’s compaction by its rule, else the limit', () => {
    const { nextBoundary, compactsAt } = summaryOf(claudeCode('2.1.25', 100_000));
    expect(nextBoundary).toMatchObject({ kind: 'compaction', at: 167_000, left: 67_000, source: 'rule' });
    expect(compactsAt).toBe(167_000);
    expect(summaryOf(claudeCode('2.1.22', 100_000))).toMatchObject({
      compactsAt: null,
      nextBoundary: { kind: 'limit', at: 200_000, left: 100_000, passed: false },
    });
  });

  it('is the client’s stated point, else the learned one, else the rule', () => {
    const run = claudeCode('2.1.39', 160_000);
    run.add('compaction', { trigger: 'auto', state: 'confirmed', preTokens: 140_900 });
    run.reads(40_000);
    run.add('compaction', { trigger: 'auto', state: 'confirmed', preTokens: 140_117 });
    run.reads(40_000);
    expect(summaryOf(run).nextBoundary).toMatchObject({ at: 140_117, source: 'learned' });
    run.add('session_start', { compactsAt: 150_000 });
    expect(summaryOf(run).nextBoundary).toMatchObject({ kind: 'compaction', at: 150_000, source: 'client' });
  });

  it('is passed when the pressure is over the limit, with no tokens left', () => {
    const run = snapshotRun(200_000);
    run.reads(240_000);
    expect(summaryOf(run).nextBoundary).toMatchObject({
      kind: 'limit',
      left: 0,
      passed: true,
      turns: null,
      minutes: null,
    });
  });

  it('has the medians of the forecast in turns and minutes', () => {
    const run = snapshotRun(200_000);
    run.add('session_start', { restartLine: 0.9 });
    for (let tokens = 40_000; tokens <= 100_000; tokens += 2_000) run.reads(tokens);
    const { nextBoundary, forecast, tokensPerTurn, tokensPerMinute } = summaryOf(run);
    expect([tokensPerTurn, tokensPerMinute]).toEqual([2_000, 2_000]);
    expect(forecast).toMatchObject({ kind: 'restart', at: 180_000, certainty: 'fair' });
    expect(nextBoundary).toMatchObject({ kind: 'restart', left: 80_000 });
    expect(nextBoundary?.turns).toBe(forecast?.turns?.mid);
    expect(nextBoundary?.minutes).toBe(forecast?.minutes?.mid);
    expect(forecast?.turns?.mid).toBeGreaterThanOrEqual(40);
    expect(forecast?.turns?.mid).toBeLessThanOrEqual(42);
    expect(forecast?.turns?.low).toBeLessThan(40);
    expect(forecast?.turns?.high).toBeGreaterThan(42);
  });

  it('has no forecast once the boundary is passed, and an empty forecast before three turns of growth', () => {
    const run = snapshotRun(200_000);
    for (const tokens of [40_000, 42_000]) run.reads(tokens);
    expect(summaryOf(run).forecast).toMatchObject({ at: 200_000, turns: null, certainty: 'early' });
    run.reads(240_000);
    expect(summaryOf(run).forecast).toBeNull();
  });
});

describe('a restart line that was passed', () => {
  const passed = (run: FoldRun, overrides = {}) => summaryOf(run, overrides).restartLinePassed;
  const above = () => {
    const run = snapshotRun();
    run.add('session_start', { limit: 200_000 });
    for (const tokens of [170_000, 181_000, 184_000]) run.reads(tokens);
    return run;
  };

  it('has the time of the crossing and the number of turns since then', () => {
    const run = above();
    expect(passed(run)).toEqual({ at: new Date(START + 4 * 60_000).toISOString(), turnsSince: 1 });
    run.reads(190_000);
    expect(passed(run)?.turnsSince).toBe(2);
  });

  it('does not count calls of sub-agents or side calls', () => {
    const run = above();
    run.add('turn', { usage: { input: 5, output: 5 }, chain: 'agent-1' });
    run.add('turn', { usage: { input: 5, output: 5 }, scope: 'side' });
    expect(passed(run)?.turnsSince).toBe(1);
  });

  it('no longer counts once the pressure falls below it, or in a new context', () => {
    const run = above();
    run.reads(150_000);
    expect(passed(run)).toBeNull();
    run.reads(180_000);
    expect(passed(run)?.turnsSince).toBe(0);
    run.add('restart', {});
    expect(passed(run)).toBeNull();
    run.reads(183_000);
    run.reads(185_000);
    expect(passed(run)?.turnsSince).toBe(1);
  });

  it('is null if the line is above the pressure, or if the session never restarts', () => {
    expect(passed(above(), { restartLine: 0.95 })).toBeNull();
    expect(passed(above(), { restartLine: 1.1 })).toBeNull();
  });

  it('is null for a state stored by an older version', () => {
    const run = above();
    delete run.state.restartLinePassed;
    run.reads(190_000);
    expect(passed(run)).toBeNull();
  });
});
