import { describe, expect, it } from 'vitest';
import { snapshotRun } from './fold-testing';

/** A session at 160 000 of 200 000, its start left out of the events. */
function nearlyFull() {
  const run = snapshotRun(200_000);
  run.reads(160_000);
  run.events.length = 0;
  return run;
}
const hook = { source: 'hook' } as const;

describe('a compaction', () => {
  it('that a hook announces is pending and ends no context', () => {
    const run = nearlyFull();
    const step = run.add('compaction', { trigger: 'auto', state: 'pending' }, hook);
    expect(step).toMatchObject({
      closed: null,
      events: [{ detail: { state: 'pending', lastReading: 160_000 } }],
    });
    expect(run.reads(161_000).turn?.context).toBe(0);
  });

  it('reported by hook, transcript, SDK and OTLP is one event and one boundary', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'pending' }, hook);
    const record = run.add('compaction', {
      trigger: 'auto',
      state: 'confirmed',
      preTokens: 167_471,
      boundary: 'uuid-1',
    });
    const sdk = run.add(
      'compaction',
      { trigger: 'auto', state: 'confirmed', preTokens: 167_000, postTokens: 2_700 },
      { source: 'sdk' },
    );
    const otlp = run.add(
      'compaction',
      { trigger: 'auto', state: 'confirmed', durationMs: 81_000, boundary: 'uuid-1' },
      { source: 'otlp' },
    );
    const late = run.add('compaction', { trigger: 'auto', state: 'pending' }, hook);
    expect(run.kinds()).toEqual(['compaction']);
    expect(record.closed?.endedBy).toBe('compaction');
    expect([sdk.closed, otlp.closed, late.closed, late.amends]).toEqual([null, null, null, null]);
    expect(otlp.amends).toEqual({
      position: 3,
      kind: 'compaction',
      detail: {
        trigger: 'auto',
        state: 'confirmed',
        preTokens: 167_471,
        postTokens: 2_700,
        durationMs: 81_000,
        lastReading: 160_000,
        usedBefore: 160_000,
        limit: 200_000,
        contextBefore: 0,
        contextAfter: 1,
      },
    });
    expect(run.state.compactions).toBe(1);
  });

  it.each(['blocked', 'failed'] as const)('that was pending and then %s ends no context', (state) => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'pending' }, hook);
    const step = run.add('compaction', { trigger: 'auto', state }, hook);
    expect(step).toMatchObject({ closed: null, events: [], amends: { detail: { state } } });
    expect(run.reads(162_000).turn?.context).toBe(0);
  });

  it('with the same trigger after a main turn is another one', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'manual', state: 'confirmed' });
    run.reads(40_000);
    const second = run.add('compaction', { trigger: 'manual', state: 'confirmed' });
    expect(second.closed?.context.index).toBe(1);
    expect(run.kinds()).toEqual(['compaction', 'compaction']);
  });

  it('with another trigger or another boundary id is another one, even with no main turn between', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'manual', state: 'confirmed', boundary: 'a' });
    run.add('compaction', { trigger: 'manual', state: 'confirmed', boundary: 'b' });
    run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    expect(run.state.compactions).toBe(3);
  });

  it('is known by its boundary id even after main turns', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'confirmed', boundary: 'a' });
    run.reads(40_000);
    const late = run.add('compaction', { trigger: 'auto', state: 'confirmed', boundary: 'a', durationMs: 9 });
    expect(late).toMatchObject({ closed: null, events: [], amends: { detail: { durationMs: 9 } } });
    expect(run.state.compactions).toBe(1);
  });

  it('is not separated from its reports by a side call: the compaction’s own', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'pending' }, hook);
    run.add('turn', { scope: 'side', usage: { input: 5, output: 900 } });
    const step = run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    expect(step).toMatchObject({ events: [], amends: { detail: { state: 'confirmed' } } });
    expect(step.closed?.context.index).toBe(0);
  });

  it('gains the first reading after it, once the next main call comes', () => {
    const run = nearlyFull();
    const boundary = run.add('compaction', { trigger: 'auto', state: 'confirmed', preTokens: 167_000 });
    expect(boundary.events[0]?.detail).not.toHaveProperty('firstReading');
    expect(run.add('turn', { scope: 'side', usage: {}, contextTokens: 7 }).amends).toBeNull();
    expect(run.reads(41_000).amends).toMatchObject({ position: 3, detail: { firstReading: 41_000 } });
    expect(run.reads(42_000).amends).toBeNull();
  });

  it('takes an estimate as first reading only until a real one comes', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    const guess = run.add('reading', { contextTokens: 12_965, basis: 'estimate' });
    expect(guess.amends?.detail).toMatchObject({ firstReading: 12_965, firstReadingEstimated: true });
    const real = run.reads(31_000).amends?.detail;
    expect(real).toMatchObject({ firstReading: 31_000 });
    expect(real).not.toHaveProperty('firstReadingEstimated');
  });
});
