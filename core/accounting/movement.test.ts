/** The effects of a turn or a reading: occupancies, growth, trace. */
import { describe, expect, it } from 'vitest';
import { FoldRun, START, snapshotRun } from './fold-testing';

const growthOf = (run: FoldRun) => run.state.chains.main?.growth;
const minute = (minutes: number) => ({ at: START + minutes * 60_000 });

describe('growth', () => {
  it('is the lens’s gain since the previous main turn, with the minutes between them', () => {
    const run = snapshotRun(200_000);
    run.reads(10_000);
    expect(growthOf(run)).toEqual([]);
    run.reads(12_500);
    run.reads(12_000);
    expect(growthOf(run)).toEqual([
      [1, 2_500],
      [1, -500],
    ]);
  });

  it('is not counted between readings of different bases', () => {
    const run = snapshotRun(200_000);
    run.add('turn', { usage: null, contextTokens: 9_000, basis: 'estimate' });
    run.reads(20_000);
    expect(growthOf(run)).toEqual([]);
    run.add('clear', {});
    run.add('reading', { contextTokens: 9_000, basis: 'estimate' });
    run.add('reading', { contextTokens: 20_000 });
    expect(growthOf(run)).toEqual([]);
    run.add('reading', { contextTokens: 21_000 });
    expect(growthOf(run)).toEqual([[1, 1_000]]);
  });

  it('of cumulative sums ignores the basis of readings', () => {
    const run = new FoldRun();
    run.turn([10, 10], { contextTokens: 9_000, basis: 'estimate' });
    run.turn([5, 5], { contextTokens: 20_000 });
    expect(growthOf(run)).toEqual([[1, 10]]);
  });

  it('from a standalone reading counts only if the reading changed the lens', () => {
    const run = snapshotRun(200_000);
    run.reads(10_000);
    run.add('reading', { contextTokens: 10_000 });
    expect(growthOf(run)).toEqual([]);
    run.add('reading', { contextTokens: 11_000 });
    expect(growthOf(run)).toEqual([[2, 1_000]]);
    run.reads(11_000);
    expect(growthOf(run)).toEqual([
      [2, 1_000],
      [1, 0],
    ]);
  });

  it('by a reading between two turns counts with the later turn, and by itself if there are no turns', () => {
    const run = snapshotRun(200_000);
    run.reads(10_000);
    run.add('reading', { contextTokens: 11_000 });
    expect(run.state.chains.main?.record).toMatchObject({ turns: 0, carried: [1, 1_000] });
    run.reads(13_000);
    expect(run.state.chains.main?.record).toMatchObject({ turns: 1, carried: [0, 0] });
    const readings = snapshotRun(200_000);
    readings.add('reading', { contextTokens: 10_000 });
    readings.add('reading', { contextTokens: 11_000 });
    expect(readings.state.chains.main?.record).toMatchObject({ turns: 1, carried: [0, 0] });
  });

  it('is remembered for the last 24 turns', () => {
    const run = snapshotRun(200_000);
    for (let n = 0; n <= 24; n += 1) run.reads(1 + n * n);
    expect(growthOf(run)).toHaveLength(24);
    expect(growthOf(run)?.[0]).toEqual([1, 1]);
    run.reads(1_000);
    expect(growthOf(run)).toHaveLength(24);
    expect(growthOf(run)?.[0]).toEqual([1, 3]);
  });

  it('is not counted while the value is unknown', () => {
    const run = new FoldRun();
    run.turn([10, 10]);
    run.add('turn', { usage: null });
    run.turn([10, 10]);
    expect(growthOf(run)).toEqual([]);
  });
});

describe('the trace', () => {
  it('has the main chain’s values only', () => {
    const run = snapshotRun(200_000);
    run.add('turn', { usage: {}, contextTokens: 10_000 }, minute(1));
    run.add('turn', { usage: {}, contextTokens: 90_000, chain: 'agent-1' }, minute(2));
    run.add('reading', { contextTokens: 11_000 }, minute(3));
    run.add('compaction', { trigger: 'auto', state: 'confirmed' }, minute(4));
    const second = START / 1_000;
    expect(run.state.trace.map(([time, used]) => [time - second, used])).toEqual([
      [60, 10_000],
      [180, 11_000],
      [240, null],
    ]);
    expect(new Set(run.state.trace.map(([, , kind]) => kind)).size).toBe(2);
  });
});

describe('occupancies', () => {
  it('are the first, last and peak value of the lens in a context, for sub-agents too', () => {
    const run = snapshotRun(200_000);
    for (const tokens of [5_000, 9_000, 9_000, 4_000]) run.reads(tokens, { chain: 'agent-1' });
    expect(run.state.chains['agent-1']?.context).toMatchObject({
      firstOccupancy: 5_000,
      peakOccupancy: 9_000,
      lastOccupancy: 4_000,
    });
  });

  it('are kept, like the last known value, while the value is unknown', () => {
    const run = new FoldRun();
    run.turn([10, 20]);
    run.add('turn', { usage: null });
    expect(run.state.chains.main?.context).toMatchObject({ firstOccupancy: 30, lastOccupancy: 30 });
    expect(run.state.chains.main?.lastKnown.cumulative).toBe(30);
  });
});
