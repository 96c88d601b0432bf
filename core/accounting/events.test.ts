import { describe, expect, it } from 'vitest';
import { FoldRun, START, snapshotRun } from './fold-testing';
import type { SourceName } from './types';

describe('state events', () => {
  it('are state_changed, approaching_redline and redlined when one turn raises the pressure from 0.4 to 1.2', () => {
    const run = new FoldRun();
    run.turn([200, 200], { limit: 1_000 });
    const step = run.turn([400, 400], { limit: 1_000 });
    expect(step.events.map(({ kind, detail }) => ({ kind, detail }))).toEqual([
      { kind: 'state_changed', detail: { from: 'nominal', to: 'redlined', pressure: 1.2 } },
      { kind: 'approaching_redline', detail: { pressure: 1.2 } },
      { kind: 'redlined', detail: { used: 1200, limit: 1_000 } },
    ]);
    expect(step.events.every((e) => e.turn === 2 && e.chain === 'main' && e.context === 0)).toBe(true);
  });

  it('are only state_changed when the pressure falls, and all three again at the next rise', () => {
    const run = snapshotRun(100_000);
    run.reads(95_000);
    run.events.length = 0;
    run.reads(60_000);
    expect(run.events).toMatchObject([{ kind: 'state_changed', detail: { to: 'elevated' } }]);
    run.events.length = 0;
    run.reads(101_000);
    expect(run.kinds()).toEqual(['state_changed', 'approaching_redline', 'redlined']);
  });

  it('are not repeated while the state is unchanged', () => {
    const run = snapshotRun(100_000);
    run.reads(91_000);
    run.events.length = 0;
    run.reads(92_000);
    run.reads(93_000);
    expect(run.kinds()).toEqual([]);
  });

  it.each(['restart', 'compaction', 'clear'] as const)(
    'are possible again after a %s, which emits no event; the next turn is compared with nominal',
    (boundary) => {
      const run = snapshotRun(100_000);
      run.reads(95_000);
      run.events.length = 0;
      if (boundary === 'compaction') run.add('compaction', { trigger: 'auto', state: 'confirmed' });
      else run.add(boundary, {});
      expect(run.events).toHaveLength(1);
      run.events.length = 0;
      run.reads(92_000);
      const full = boundary === 'restart' ? ['thrash'] : [];
      expect(run.events.map((e) => e.kind)).toEqual(['state_changed', 'approaching_redline', ...full]);
      expect(run.events[0]?.detail).toMatchObject({ from: 'nominal', to: 'critical' });
    },
  );

  it('use the session’s declared restart line, and are never emitted for a line of 1.1', () => {
    const run = new FoldRun();
    run.add('session_start', { lens: 'snapshot', limit: 100_000, restartLine: 1.1 });
    run.reads(105_000);
    run.reads(115_000);
    expect(run.kinds()).toEqual(['session_started', 'state_changed', 'redlined']);
  });

  it('report a restart line that moves below the current pressure, but do not repeat the passed limit', () => {
    const run = new FoldRun();
    run.add('session_start', { lens: 'snapshot', limit: 100_000, restartLine: 1.1 });
    run.reads(120_000);
    run.add('session_start', { restartLine: 0.9 });
    expect(run.reads(120_000).events.map(({ kind }) => kind)).toEqual(['approaching_redline']);
    expect(run.reads(120_000).events).toEqual([]);
  });

  it('are absent while the pressure is unknown or untracked', () => {
    const run = new FoldRun();
    run.turn([600, 0], { limit: 1_000 });
    run.events.length = 0;
    run.add('turn', { usage: null });
    run.turn([900, 0]);
    expect(run.kinds()).toEqual(['tracking_disabled']);
  });
});

describe('the life of a session', () => {
  it('starts with one session_started and its reason', () => {
    const run = new FoldRun();
    run.add('session_start', {});
    run.add('session_start', { title: 'as another source knows it' });
    expect(run.events.map((e) => [e.kind, e.detail])).toEqual([['session_started', { reason: 'startup' }]]);
  });

  it('ends once, with its reason', () => {
    const run = new FoldRun();
    run.add('session_end', { reason: 'logout' });
    run.add('session_end', {});
    expect(run.events.map((e) => [e.kind, e.detail])).toEqual([['session_ended', { reason: 'logout' }]]);
    expect(run.state.ended).toBe(true);
  });

  it('is reopened by a turn after its end, in the same context', () => {
    const run = new FoldRun();
    run.turn([10, 10]);
    run.add('session_end', {});
    const step = run.turn([5, 5]);
    expect(step.events).toMatchObject([{ kind: 'session_started', detail: { reason: 'resumed' } }]);
    expect(step.turn).toMatchObject({ context: 0, usedCumulative: 30 });
    expect(run.state.ended).toBe(false);
  });

  it('stays ended when its last turn and facts arrive after the end that a hook reported', () => {
    const run = new FoldRun();
    const end = { at: START + 600_000, source: 'hook' } as const;
    run.add('session_start', {});
    run.add('session_end', { reason: 'clear' }, end);
    run.add('turn', { usage: { input: 5, output: 5 } }, { at: end.at - 1_000 });
    run.add('session_start', { title: 'Fix the harbour' }, { at: end.at - 500 });
    expect(run.kinds()).toEqual(['session_started', 'session_ended']);
    expect(run.state).toMatchObject({ ended: true, totals: { main: { calls: 1 } } });
  });

  it('ends although a report of a later time arrived before its last turn', () => {
    const run = new FoldRun();
    run.add('session_start', {}, { at: START });
    run.add('archive', { state: 'stored', version: 'completed' }, { at: START + 9_000, source: 'hook' });
    run.add('turn', { usage: { input: 5, output: 5 } }, { at: START + 5_000 });
    run.add('session_end', {}, { at: START + 6_000, source: 'hook' });
    expect(run.state).toMatchObject({ ended: true, lastTurnAt: START + 5_000 });
  });

  it('has ended if the end has the time of its last turn, in any order of arrival', () => {
    const [at, usage] = [START + 9_000, { input: 5, output: 5 }];
    const run = new FoldRun();
    run.add('turn', { usage }, { at });
    run.add('session_end', {}, { at });
    run.add('turn', { usage }, { at });
    expect(run.state.ended).toBe(true);
  });

  it('ignores an end that precedes its last start or turn', () => {
    const run = new FoldRun();
    run.add('session_start', { reason: 'startup' }, { at: START });
    run.add('session_start', { reason: 'resumed' }, { at: START + 9_000 });
    run.add('session_end', {}, { at: START + 8_000 });
    run.add('turn', { usage: {} }, { at: START + 20_000 });
    run.add('session_end', {}, { at: START + 19_000 });
    run.add('session_start', { reason: 'resumed' }, { at: START + 9_000 });
    expect(run.kinds()).toEqual(['session_started', 'session_started']);
    expect(run.state.ended).toBe(false);
  });

  it('is resumed once if two sources report the resume, and again after a turn or by the same source', () => {
    const run = new FoldRun();
    const resume = (seconds: number, source: SourceName) =>
      run.add('session_start', { reason: 'resumed' }, { at: START + seconds * 1_000, source });
    run.add('turn', { usage: {} }, { at: START });
    run.add('session_end', {}, { at: START + 1_000 });
    run.add('session_start', {}, { at: START + 2_000, source: 'otlp' });
    resume(3, 'hook');
    expect(run.kinds().filter((kind) => kind === 'session_started')).toHaveLength(1);
    run.add('turn', { usage: {} }, { at: START + 4_000 });
    resume(5, 'hook');
    resume(6, 'otlp');
    resume(7, 'hook');
    expect(run.kinds().filter((kind) => kind === 'session_started')).toHaveLength(3);
  });

  it('is reopened by a start after its end', () => {
    const run = new FoldRun();
    run.add('session_start', {});
    run.add('session_end', {});
    run.add('session_start', {});
    expect(run.events.at(-1)).toMatchObject({ kind: 'session_started', detail: { reason: 'resumed' } });
  });
});

describe('boundaries and times', () => {
  it('a clear is a boundary with the number of cleared tokens', () => {
    const run = snapshotRun(200_000);
    run.reads(70_000);
    const step = run.add('clear', {});
    expect(step.events).toMatchObject([{ kind: 'context_cleared', detail: { tokensCleared: 70_000 } }]);
    expect(step.closed?.endedBy).toBe('clear');
    expect(run.add('clear', { tokensCleared: 5 }).events[0]?.detail).toHaveProperty('tokensCleared', 5);
  });

  it('chart time is the running maximum of the times', () => {
    const run = new FoldRun();
    const times = [1_000, 5_000, 3_000, 6_000].map((at) => run.add('turn', { usage: {} }, { at }).turn?.time);
    expect(times).toEqual([1_000, 5_000, 5_000, 6_000]);
  });
});
