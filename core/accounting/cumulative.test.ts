import { describe, expect, it } from 'vitest';
import { MAX_SUM } from './counts';
import { FoldRun, START } from './fold-testing';
import { pressureOf } from './state';

/** The pressure after a turn by the cumulative lens. */
function pressureAfter(step: ReturnType<FoldRun['turn']>): number | null {
  return pressureOf(step.turn?.usedCumulative ?? null, step.turn?.limit ?? null);
}

describe('the cumulative lens', () => {
  it('reads 3.18 % after 487 in, 5880 out and 1 432 262 cache reads of 200 000', () => {
    const run = new FoldRun();
    const step = run.turn([487, 5880, 1_432_262], { limit: 200_000 });
    expect(step.turn?.cumulative).toEqual({ input: 487, output: 5880, cacheRead: 1_432_262 });
    expect(pressureAfter(step)).toBeCloseTo(0.031835, 10);
  });

  it('reads 0.4, then 0.6 of 1 000, and reaches a restart line of 0.5 with turn 2', () => {
    const run = new FoldRun();
    run.add('session_start', { restartLine: 0.5 });
    const first = run.turn([200, 200], { limit: 1_000 });
    const second = run.turn([100, 100], { limit: 1_000 });
    expect(pressureAfter(first)).toBe(0.4);
    expect(pressureAfter(second)).toBe(0.6);
    expect(second.turn?.cumulative).toEqual({ input: 300, output: 300, cacheRead: 0 });
    expect(first.events.map((e) => e.kind)).not.toContain('approaching_redline');
    expect(second.events).toContainEqual(
      expect.objectContaining({ kind: 'approaching_redline', turn: 2, detail: { pressure: 0.6 } }),
    );
  });
});

describe('sums', () => {
  it('refuse a turn that would exceed 2^53−1, without a change of the state', () => {
    const run = new FoldRun();
    run.turn([1, 1, MAX_SUM]);
    const before = JSON.stringify(run.state);
    const refused = run.try('turn', { usage: { cacheRead: 1 } });
    expect(refused).toMatchObject({ ok: false, code: 'sum_overflow', field: 'usage.cacheRead' });
    expect(JSON.stringify(run.state)).toBe(before);
  });

  it('refuse a turn that would exceed 2^53−1 over main and side, or over input and output', () => {
    const run = new FoldRun();
    run.turn([MAX_SUM - 10, 4]);
    expect(run.try('turn', { usage: { output: 7 } })).toMatchObject({ ok: false, field: 'usage.output' });
    expect(run.try('turn', { usage: { input: 11 }, chain: 'agent-1' })).toMatchObject({
      ok: false,
      field: 'usage.input',
    });
    expect(Object.keys(run.state.chains)).toEqual(['main']);
    expect(run.try('turn', { usage: { output: 6 } }).ok).toBe(true);
  });

  it('start at zero after a boundary, whatever the client reports about it', () => {
    const run = new FoldRun();
    run.turn([1000, 2000, 3000]);
    run.add('compaction', { trigger: 'auto', state: 'confirmed', preTokens: 167_000, postTokens: 2_700 });
    const step = run.turn([10, 20, 30]);
    expect(step.turn).toMatchObject({ context: 1, cumulative: { input: 10, output: 20, cacheRead: 30 } });
    expect(run.state.totals.main).toEqual({
      input: 1010,
      output: 2020,
      cacheRead: 3030,
      cacheCreation: 0,
      calls: 2,
    });
  });

  it('never count cache creation as input', () => {
    const run = new FoldRun();
    const step = run.add('turn', { usage: { input: 10, output: 5, cacheCreation: 900 } });
    expect(step.turn?.usedCumulative).toBe(15);
    expect(run.state.totals.main.cacheCreation).toBe(900);
  });

  it('are a lower bound after a gap, until the next boundary', () => {
    const run = new FoldRun();
    run.turn([10, 5]);
    const gap = run.add('gap', { from: 2, to: 4, count: 3, reason: 'queue full' });
    expect(gap.events).toMatchObject([
      { kind: 'turns_dropped', detail: { from: 2, to: 4, count: 3, reason: 'queue full' } },
    ]);
    expect(run.state.chains.main?.context.complete).toBe(false);
    run.turn([10, 5]);
    const ended = run.add('restart', {}).closed?.context;
    expect(ended).toMatchObject({ complete: false, startedAt: START + 60_000 });
    expect(run.state.chains.main?.context.complete).toBe(true);
  });
});

describe('cumulative tracking', () => {
  it('is disabled by a main turn without usage, for the rest of the context, with one event', () => {
    const run = new FoldRun();
    run.turn([10, 20]);
    const lost = run.add('turn', { usage: null });
    const later = run.turn([100, 200]);
    run.add('turn', {});
    expect(lost.turn).toMatchObject({ usedCumulative: null, flags: { noUsage: true, untracked: true } });
    expect(later.turn?.flags.untracked).toBe(true);
    expect(later.turn?.cumulative).toEqual({ input: 10, output: 20, cacheRead: 0 });
    expect(run.kinds()).toEqual(['tracking_disabled']);
  });

  it('is enabled by the first main turn with usage after a boundary, with one event', () => {
    const run = new FoldRun();
    run.turn([10, 20]);
    run.add('turn', { usage: null });
    run.add('restart', {});
    expect(run.state.chains.main?.context.tracked).toBe(false);
    run.add('turn', { usage: { input: 1, output: 1 }, scope: 'side' });
    expect(run.state.chains.main?.context.tracked).toBe(false);
    const back = run.turn([7, 8]);
    run.turn([1, 1]);
    expect(back.turn).toMatchObject({ usedCumulative: 15, flags: { untracked: false } });
    expect(run.kinds()).toEqual(['tracking_disabled', 'restart', 'tracking_enabled']);
  });

  it('stays disabled if the first main turn after a boundary has no usage', () => {
    const run = new FoldRun();
    run.add('turn', { usage: null });
    run.add('restart', {});
    run.add('turn', { usage: null });
    expect(run.turn([7, 8]).turn?.usedCumulative).toBeNull();
    expect(run.kinds()).toEqual(['tracking_disabled', 'restart']);
  });

  it('ignores side turns', () => {
    const run = new FoldRun();
    run.turn([10, 20]);
    const side = run.add('turn', { scope: 'side' });
    expect(side.turn?.flags).toMatchObject({ noUsage: true, untracked: false });
    expect(run.kinds()).toEqual([]);
  });
});
