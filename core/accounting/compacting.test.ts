import { describe, expect, it } from 'vitest';
import { compactingAt } from './compacting';
import { START, snapshotRun } from './fold-testing';
import { summarizeSession } from './summarize-session';
import { DEFAULT_THRESHOLDS } from './thresholds';

const hook = { source: 'hook' } as const;

/** A session at 160 000 of 200 000 with an automatic compaction announced by its hook. */
function announced() {
  const run = snapshotRun(200_000);
  run.reads(160_000);
  run.add('compaction', { trigger: 'auto', state: 'pending' }, hook);
  return run;
}
const compactingOf = (run: ReturnType<typeof announced>) =>
  summarizeSession(run.state, DEFAULT_THRESHOLDS).compacting;
const failureOf = (run: ReturnType<typeof announced>) =>
  summarizeSession(run.state, DEFAULT_THRESHOLDS).archiveFailure;

describe('a session with an announced compaction', () => {
  it('is compacting', () => {
    expect(compactingOf(announced())).toMatchObject({ trigger: 'auto' });
  });

  it.each(['confirmed', 'blocked', 'failed'] as const)('is not compacting after the report “%s”', (state) => {
    const run = announced();
    run.add('compaction', { trigger: 'auto', state }, hook);
    expect(compactingOf(run)).toBeNull();
  });

  it('is not compacting after the next turn', () => {
    const run = announced();
    run.reads(161_000);
    expect(compactingOf(run)).toBeNull();
  });

  it('is not compacting after its end', () => {
    const run = announced();
    run.add('session_end', { reason: 'exit' });
    expect(compactingOf(run)).toBeNull();
  });

  it('is not compacting if a later turn arrived before the announcement', () => {
    const compactingAt = (at: number) => {
      const run = snapshotRun(200_000);
      // One minute for the start, and one minute for the turn.
      run.reads(160_000);
      run.add('compaction', { trigger: 'auto', state: 'pending' }, { ...hook, at });
      return compactingOf(run);
    };
    const turnAt = START + 2 * 60_000;
    expect(compactingAt(turnAt - 1)).toBeNull();
    expect(compactingAt(turnAt)).toEqual({ trigger: 'auto', at: new Date(turnAt).toISOString() });
  });

  it('is compacting from the announcement on, even before its first turn', () => {
    const run = snapshotRun(200_000);
    run.add('compaction', { trigger: 'manual', state: 'pending' }, { ...hook, at: START });
    expect(compactingOf(run)).toEqual({ trigger: 'manual', at: new Date(START).toISOString() });
  });

  it('is not compacting after five minutes', () => {
    const compacting = { trigger: 'auto', at: '2026-01-23T18:04:00.000Z' } as const;
    const from = Date.parse(compacting.at);
    expect(compactingAt(compacting, from + 5 * 60_000 - 1)).toBe(compacting);
    expect(compactingAt(compacting, from + 5 * 60_000)).toBeNull();
    expect(compactingAt(null, from)).toBeNull();
  });
});

describe('a failed archive', () => {
  it('is shown with its reason until an archive is stored', () => {
    const run = announced();
    expect(failureOf(run)).toBeNull();
    run.add('archive', { trigger: 'auto', state: 'failed', reason: 'no space left on device' }, hook);
    run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    run.reads(20_000);
    expect(failureOf(run)).toMatchObject({ reason: 'no space left on device' });
    run.add('archive', { state: 'skipped', reason: 'unchanged' }, hook);
    expect(failureOf(run)).not.toBeNull();
    run.add('archive', { state: 'stored' }, hook);
    expect(failureOf(run)).toBeNull();
  });

  it('is not shown if an earlier copy was stored', () => {
    const run = announced();
    run.add('archive', { trigger: 'auto', state: 'stored', archive: 'a' }, hook);
    run.add('archive', { trigger: 'auto', state: 'failed', archive: 'a', reason: 'gone' }, hook);
    expect(failureOf(run)).toBeNull();
    run.add('compaction', { trigger: 'auto', state: 'confirmed' });
    run.add('archive', { trigger: 'auto', state: 'failed', archive: 'a', reason: 'gone' }, hook);
    expect(failureOf(run)).toBeNull();
    run.reads(30_000);
    run.add('archive', { state: 'failed' }, hook);
    expect(failureOf(run)).toEqual({ at: expect.any(String), reason: null });
  });
});
