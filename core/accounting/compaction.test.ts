import { describe, expect, it } from 'vitest';
import { snapshotRun } from './fold-testing';

/** A session at 160 000 of 200 000. Its events omit the session start. */
function nearlyFull() {
  const run = snapshotRun(200_000);
  run.reads(160_000);
  run.events.length = 0;
  return run;
}
const hook = { source: 'hook' } as const;

describe('a compaction', () => {
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
        boundary: 'uuid-1',
        lastReading: 160_000,
        usedBefore: 160_000,
        limit: 200_000,
        contextBefore: 0,
        contextAfter: 1,
      },
    });
    expect(run.state.compactions).toBe(1);
  });

  it('with the same trigger after a main turn is a new compaction', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'manual', state: 'confirmed' });
    run.reads(40_000);
    const second = run.add('compaction', { trigger: 'manual', state: 'confirmed' });
    expect(second.closed?.context.index).toBe(1);
    expect(run.kinds()).toEqual(['compaction', 'compaction']);
  });

  it('with another trigger or boundary id is a new compaction, even without a main turn between them', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'manual', state: 'confirmed', boundary: 'a' });
    run.add('compaction', { trigger: 'manual', state: 'confirmed', boundary: 'b' });
    run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    expect(run.state.compactions).toBe(3);
  });

  it('is identified by its boundary id even after main turns', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'confirmed', boundary: 'a' });
    run.reads(40_000);
    const late = run.add('compaction', { trigger: 'auto', state: 'confirmed', boundary: 'a', durationMs: 9 });
    expect(late).toMatchObject({ closed: null, events: [], amends: { detail: { durationMs: 9 } } });
    expect(run.state.compactions).toBe(1);
  });

  it('is not split by its own side call', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'pending' }, hook);
    run.add('turn', { scope: 'side', usage: { input: 5, output: 900 } });
    const step = run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    expect(step).toMatchObject({ events: [], amends: { detail: { state: 'confirmed' } } });
    expect(step.closed?.context.index).toBe(0);
  });

  it('gets its first reading from the next main call', () => {
    const run = nearlyFull();
    const boundary = run.add('compaction', { trigger: 'auto', state: 'confirmed', preTokens: 167_000 });
    expect(boundary.events[0]?.detail).not.toHaveProperty('firstReading');
    expect(run.add('turn', { scope: 'side', usage: {}, contextTokens: 7 }).amends).toBeNull();
    expect(run.reads(41_000).amends).toMatchObject({ position: 3, detail: { firstReading: 41_000 } });
    expect(run.reads(42_000).amends).toBeNull();
  });

  it('replaces an estimated first reading by a real reading', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    const guess = run.add('reading', { contextTokens: 12_965, basis: 'estimate' });
    expect(guess.amends?.detail).toMatchObject({ firstReading: 12_965, firstReadingEstimated: true });
    const real = run.reads(31_000).amends?.detail;
    expect(real).toMatchObject({ firstReading: 31_000 });
    expect(real).not.toHaveProperty('firstReadingEstimated');
  });

  it('keeps the first of several estimates as first reading', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    run.add('reading', { contextTokens: 12_000, basis: 'estimate' });
    expect(run.add('reading', { contextTokens: 13_000, basis: 'estimate' }).amends).toBeNull();
    expect(run.reads(31_000).amends).toMatchObject({ kind: 'compaction', detail: { firstReading: 31_000 } });
  });

  it('gets its first reading after later announcements too', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    run.add('compaction', { trigger: 'manual', state: 'pending' }, hook);
    expect(run.reads(31_000).amends).toMatchObject({ position: 3, kind: 'compaction' });
  });

  it('gets no first reading if four later compactions were reported before the reading', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'confirmed', boundary: 'z' });
    for (const boundary of ['a', 'b', 'c', 'd']) {
      run.add('compaction', { trigger: 'auto', state: 'pending', boundary }, hook);
    }
    expect(run.reads(31_000).amends).toBeNull();
  });

  it('may be followed by a reading equal to the window, or by any reading if the window is unknown', () => {
    const full = nearlyFull();
    full.add('compaction', { trigger: 'auto', state: 'confirmed' });
    expect(full.add('reading', { contextTokens: 200_000 }).turn?.usedSnapshot).toBe(200_000);
    const unlimited = nearlyFull();
    unlimited.add('compaction', { trigger: 'auto', state: 'confirmed' });
    expect(unlimited.add('reading', { contextTokens: 5, limit: 0 }).turn?.usedSnapshot).toBe(5);
  });
});

describe('the archive of a compaction', () => {
  const stored = {
    state: 'stored',
    trigger: 'auto',
    path: '/runs/a.jsonl',
    bytes: 81_234,
    lines: 210,
  } as const;
  const inDetail = { state: 'stored', path: '/runs/a.jsonl', bytes: 81_234, lines: 210 };

  it('reported before the compaction waits for it and is also an event', () => {
    const run = nearlyFull();
    expect(run.add('archive', stored, hook).amends).toBeNull();
    const step = run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    expect(step.events).toMatchObject([{ kind: 'compaction', detail: { archive: inDetail } }]);
    expect(run.kinds()).toEqual(['archive_stored', 'compaction']);
  });

  it('reported between announcement and record stays with the compaction', () => {
    const run = nearlyFull();
    run.add('compaction', { trigger: 'auto', state: 'pending' }, hook);
    const archived = run.add('archive', stored, hook);
    expect(archived.amends).toMatchObject({ position: 3, kind: 'compaction', detail: { archive: inDetail } });
    const record = run.add('compaction', { trigger: 'auto', state: 'confirmed', preTokens: 167_471 });
    expect(record.amends?.detail).toMatchObject({
      state: 'confirmed',
      preTokens: 167_471,
      archive: inDetail,
    });
  });

  it('is the stored copy despite failures, else the last reported archive', () => {
    const run = nearlyFull();
    run.add('archive', { state: 'skipped', reason: 'no transcript' }, hook);
    run.add('compaction', { trigger: 'auto', state: 'pending' }, hook);
    expect(run.add('archive', { state: 'failed', reason: 'disk full' }, hook).amends?.detail.archive).toEqual(
      {
        state: 'failed',
        reason: 'disk full',
      },
    );
    expect(run.add('archive', stored, hook).amends?.detail.archive).toEqual(inDetail);
    expect(run.add('archive', { state: 'failed', reason: 'once more' }, hook).amends).toBeNull();
  });

  it('reported before the compaction is the last report if no copy was stored', () => {
    const run = nearlyFull();
    run.add('archive', { state: 'skipped', reason: 'no transcript' }, hook);
    run.add('archive', { state: 'failed', reason: 'disk full' }, hook);
    const step = run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    expect(step.events[0]?.detail).toHaveProperty('archive', { state: 'failed', reason: 'disk full' });
  });

  it('is the later of two stored copies', () => {
    const run = nearlyFull();
    run.add('archive', stored, hook);
    run.add('archive', { ...stored, path: '/runs/b.jsonl' }, hook);
    const step = run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    expect(step.events[0]?.detail).toMatchObject({ archive: { path: '/runs/b.jsonl' } });
  });

  it.each([
    ['another trigger', { trigger: 'manual', state: 'confirmed' } as const, false],
    ['a main turn between', { trigger: 'auto', state: 'confirmed' } as const, true],
  ])('is not attached with %s', (_why, compaction, hasTurn) => {
    const before = nearlyFull();
    before.add('archive', stored, hook);
    if (hasTurn) before.reads(161_000);
    expect(before.add('compaction', compaction).events[0]?.detail).not.toHaveProperty('archive');
    const behind = nearlyFull();
    behind.add('compaction', compaction);
    if (hasTurn) behind.reads(40_000);
    expect(behind.add('archive', stored, hook).amends).toBeNull();
  });

  it('belongs to one compaction only', () => {
    const run = nearlyFull();
    run.add('archive', stored, hook);
    run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    run.reads(150_000);
    const next = run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    expect(next.events[0]?.detail).not.toHaveProperty('archive');
  });
});
