/** Turns that would raise the sum of a context's input and output above 2^53−1. */
import { describe, expect, it } from 'vitest';
import { MAX_SUM } from './counts';
import { FoldRun } from './fold-testing';

const nearlyMost = { input: MAX_SUM - 10 };

describe('a turn that would raise the used tokens above 2^53−1', () => {
  it('is refused with the field and the reason', () => {
    const run = new FoldRun();
    expect(run.try('turn', { usage: { ...nearlyMost, output: 11 } })).toEqual({
      ok: false,
      code: 'sum_overflow',
      field: 'usage.output',
      reason: 'the sum of output would exceed 2^53−1',
    });
    expect(run.try('turn', { usage: { ...nearlyMost, output: 10 } }).ok).toBe(true);
    expect(run.try('turn', { usage: { input: 1 } })).toMatchObject({ ok: false, field: 'usage.input' });
  });

  it('is accepted if no such sum includes it: side, inherited or untracked', () => {
    const run = new FoldRun();
    run.add('turn', { usage: nearlyMost });
    const usage = { output: 11 };
    expect(run.try('turn', { usage, scope: 'side' }).ok).toBe(true);
    expect(run.try('turn', { usage: { input: 99 }, inherited: true }).ok).toBe(true);
    run.add('turn', { usage: null });
    expect(run.try('turn', { usage }).ok).toBe(true);
  });

  it('is also refused if it would enable tracking', () => {
    const run = new FoldRun();
    run.add('turn', { usage: null });
    run.add('restart', {});
    expect(run.try('turn', { usage: { ...nearlyMost, output: 11 } })).toMatchObject({ ok: false });
    expect(run.state.chains.main?.context.tracked).toBe(false);
  });
});
