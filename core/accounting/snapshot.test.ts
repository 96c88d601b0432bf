import { describe, expect, it } from 'vitest';
import { snapshotRun } from './fold-testing';
import { summarizeSession } from './summarize-session';
import { DEFAULT_THRESHOLDS } from './thresholds';

const summaryOf = (run: ReturnType<typeof snapshotRun>) => summarizeSession(run.state, DEFAULT_THRESHOLDS);

describe('the snapshot lens', () => {
  it('is unknown after a boundary until the next main call, and keeps the last known value separately', () => {
    const run = snapshotRun(200_000);
    run.reads(160_000);
    run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    const side = run.add('turn', { scope: 'side', usage: { input: 1 }, contextTokens: 9_000 });
    expect(side.turn?.usedSnapshot).toBeNull();
    expect(summaryOf(run)).toMatchObject({
      used: null,
      pressure: null,
      state: 'unknown',
      lastKnownUsed: 160_000,
      nextBoundary: null,
      tokensUntilWarning: null,
    });
    run.reads(41_000);
    expect(summaryOf(run)).toMatchObject({ used: 41_000, state: 'nominal', lastKnownUsed: 41_000 });
  });

  it('flags a reading above the window right after a compaction and does not use it', () => {
    const run = snapshotRun(258_400);
    run.reads(235_941);
    run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    const wild = run.add('reading', { contextTokens: 940_499, basis: 'estimate' });
    expect(wild.turn).toMatchObject({
      usedSnapshot: null,
      flags: { readingIgnored: true, readingOnly: true },
    });
    expect(summaryOf(run).state).toBe('unknown');
    expect(run.reads(31_000).turn).toMatchObject({ usedSnapshot: 31_000, flags: { readingIgnored: false } });
  });

  it('ignores a real reading of 0, also as the first one after a compaction', () => {
    const run = snapshotRun(200_000);
    run.reads(160_000);
    run.add('compaction', { trigger: 'manual', state: 'confirmed' });
    const empty = run.add('reading', { contextTokens: 0, limitSource: 'status_line' }, { source: 'hook' });
    expect(empty.turn).toMatchObject({ usedSnapshot: null, flags: { readingIgnored: true } });
    expect(empty.amends).toBeNull();
    expect(run.reads(31_000).amends?.detail).toMatchObject({ firstReading: 31_000 });
    expect(run.reads(0).turn).toMatchObject({ usedSnapshot: 31_000, flags: { readingIgnored: true } });
  });

  describe('right after a compaction', () => {
    const compacted = () => {
      const run = snapshotRun(200_000);
      run.reads(160_000);
      run.add('compaction', { trigger: 'auto', state: 'confirmed' });
      const show = (contextTokens: number) => run.add('reading', { contextTokens }, { source: 'hook' }).turn;
      return { run, show };
    };

    it('ignores a status line that shows about the size of the ended context', () => {
      const { run, show } = compacted();
      for (const size of [160_000, 160_007, 158_900, 171_000])
        expect(show(size)).toMatchObject({ usedSnapshot: null, flags: { readingIgnored: true } });
      expect(run.reads(158_000).turn?.usedSnapshot).toBe(158_000);
      expect(show(159_000)?.usedSnapshot).toBe(159_000);
    });

    it('uses a status line that shows another size, and all later ones', () => {
      const { show } = compacted();
      expect(show(31_000)?.usedSnapshot).toBe(31_000);
      expect(show(33_000)?.usedSnapshot).toBe(33_000);
      expect(show(160_000)?.usedSnapshot).toBe(160_000);
    });
  });

  describe('with a reading above every known window', () => {
    const model = 'made-up';

    it('ignores it if it is a single one, and counts its tokens', () => {
      const run = snapshotRun();
      const sizes = [41_200, 43_900, 41_255_898, 46_300];
      const turns = sizes.map(
        (contextTokens) =>
          run.add('turn', { usage: { input: 1, cacheRead: contextTokens - 1 }, contextTokens, model }).turn,
      );
      expect(turns.map((turn) => [turn?.usedSnapshot, turn?.limit, turn?.flags.readingIgnored])).toEqual([
        [41_200, 200_000, false],
        [43_900, 200_000, false],
        [43_900, 200_000, true],
        [46_300, 200_000, false],
      ]);
      expect(run.kinds()).toEqual([]);
      expect(run.state.chains.main?.context.peakOccupancy).toBe(46_300);
      const summary = summaryOf(run);
      expect(summary).toMatchObject({ used: 46_300, pressure: 0.2315, limitSource: 'assumed', turnCount: 4 });
      expect(summary.totals.main.cacheRead).toBe(41_387_294);
    });

    it('ignores several that are more than twice the largest window, or not in a row', () => {
      const run = snapshotRun(200_000);
      for (const size of [41_000_000, 41_100_000, 2_100_000, 150_000, 2_200_000]) run.reads(size, { model });
      expect(summaryOf(run).used).toBe(150_000);
      run.add('clear', {});
      expect(run.reads(2_300_000, { model }).turn?.usedSnapshot).toBeNull();
    });

    it('uses the second of two in a row, and the session keeps its own limit', () => {
      const run = snapshotRun(200_000);
      for (const size of [2_100_000, 2_200_000]) run.reads(size, { model });
      expect(summaryOf(run)).toMatchObject({ used: 2_200_000, limit: 200_000 });
      expect(run.reads(2_300_000, { model }).turn?.usedSnapshot).toBe(2_300_000);
    });

    it('uses a first one below the limit that the session states', () => {
      expect(snapshotRun(10_000_000).reads(5_000_000).turn?.usedSnapshot).toBe(5_000_000);
    });
  });

  it('marks an estimate and replaces it by the real reading of the same call', () => {
    const run = snapshotRun(200_000);
    const guess = run.add('turn', { usage: null, call: 'c1', contextTokens: 9_000, basis: 'estimate' });
    expect(guess.turn?.flags).toMatchObject({ estimated: true, noUsage: true });
    expect(summaryOf(run)).toMatchObject({ used: 9_000, estimated: true });
    run.add('reading', { call: 'c1', contextTokens: 23_000, basis: 'total' });
    expect(summaryOf(run)).toMatchObject({ used: 23_000, estimated: false });
  });

  it('never replaces a reading that includes the output with an estimate or an input-side reading', () => {
    const run = snapshotRun(200_000);
    run.reads(60_000);
    const input = run.add('reading', { contextTokens: 59_000, basis: 'input' });
    const guess = run.add('reading', { contextTokens: 12_000, basis: 'estimate' });
    expect(input.turn).toMatchObject({ usedSnapshot: 60_000, flags: { readingIgnored: true } });
    expect(guess.turn).toMatchObject({ usedSnapshot: 60_000, flags: { readingIgnored: true } });
    run.add('clear', {});
    expect(run.add('reading', { contextTokens: 20_000, basis: 'input' }).turn?.usedSnapshot).toBeNull();
    expect(run.add('reading', { contextTokens: 18_000, basis: 'estimate' }).turn?.usedSnapshot).toBe(18_000);
  });

  it('follows input-side readings if a chain has no other readings', () => {
    const run = snapshotRun(200_000);
    run.add('reading', { contextTokens: 40_000, basis: 'input' });
    expect(run.add('reading', { contextTokens: 55_000, basis: 'input' }).turn?.usedSnapshot).toBe(55_000);
  });

  it('starts no context when the model changes', () => {
    const run = snapshotRun(200_000);
    run.reads(40_000, { model: 'a' });
    expect(run.reads(41_000, { model: 'b' }).turn).toMatchObject({ context: 0, usedSnapshot: 41_000 });
  });
});

describe('side calls and sub-agents', () => {
  it('change neither the lenses nor the limit nor the rate of the main chain', () => {
    const run = snapshotRun(200_000);
    for (const tokens of [20_000, 30_000, 40_000, 50_000]) run.reads(tokens, { model: 'big' });
    const { trace, growth, main } = {
      trace: JSON.stringify(run.state.trace),
      growth: JSON.stringify(run.state.chains.main?.growth),
      main: summaryOf(run),
    };
    run.add('turn', {
      scope: 'side',
      model: 'small',
      limit: 32_000,
      usage: { input: 900, output: 9 },
      contextTokens: 31_000,
    });
    run.reads(190_000, { chain: 'agent-1', model: 'small', limit: 200_000 });
    const after = summaryOf(run);
    for (const field of [
      'used',
      'pressure',
      'state',
      'limit',
      'limitSource',
      'tokensPerTurn',
      'model',
    ] as const) {
      expect(after[field]).toEqual(main[field]);
    }
    expect(JSON.stringify(run.state.trace)).toBe(trace);
    expect(JSON.stringify(run.state.chains.main?.growth)).toBe(growth);
    expect(run.kinds()).toEqual([]);
    expect(after.totals.main.calls).toBe(4);
    expect(after.totals.side).toMatchObject({ calls: 2, input: 901, output: 10 });
    expect(after.totals.all.calls).toBe(6);
    expect(after.turnCount).toBe(6);
  });

  it('have their own contexts: a sub-agent’s compaction ends only its own', () => {
    const run = snapshotRun(200_000);
    run.reads(60_000);
    run.reads(100_000, { chain: 'agent-1' });
    const step = run.add('compaction', { chain: 'agent-1', trigger: 'auto', state: 'confirmed' });
    expect(step.closed).toMatchObject({ chain: 'agent-1', context: { index: 0, lastOccupancy: 100_000 } });
    expect(run.reads(61_000).turn?.context).toBe(0);
    expect(run.reads(20_000, { chain: 'agent-1' }).turn).toMatchObject({ context: 1, number: 2 });
    expect(summaryOf(run)).toMatchObject({ compactions: 0, contextCount: 1, used: 61_000 });
  });

  it('may have any name, such as __proto__', () => {
    const run = snapshotRun(200_000);
    for (const chain of ['__proto__', 'constructor', 'toString']) {
      run.reads(10_000, { chain, model: '__proto__', limit: 50_000 });
      expect(run.reads(12_000, { chain, model: '__proto__' }).turn).toMatchObject({
        number: 2,
        usedSnapshot: 12_000,
        limit: 50_000,
      });
    }
    run.state = JSON.parse(JSON.stringify(run.state));
    expect(run.reads(13_000, { chain: '__proto__' }).turn).toMatchObject({ number: 3, limit: 50_000 });
    expect(Object.prototype).not.toHaveProperty('context');
  });
});

it('counts a call that only a lesser source knows', () => {
  const run = snapshotRun();
  run.reads(30_000, { model: 'm' });
  const call = { usage: { input: 9 }, contextTokens: 40_000, model: 'm', limit: 100_000 };
  const { turn } = run.add('turn', call, { source: 'otlp' });
  expect(turn).toMatchObject({ number: 2, usedSnapshot: 40_000 });
  expect(summaryOf(run)).toMatchObject({ turnCount: 2, pressure: 0.4, limitSource: 'turn' });
});
