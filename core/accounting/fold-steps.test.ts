/** The effect of each item type on a small session, in every field of row, event and context. */
import { beforeEach, describe, expect, it } from 'vitest';
import { emptyChain, emptySessionFold } from './empty-fold';
import { type FoldRun, START, snapshotRun } from './fold-testing';
import { eventAt, freshContext, minute, noFlags, nothing, startedRun } from './step-testing';

let run: FoldRun;
beforeEach(() => {
  run = startedRun();
});

describe('a session', () => {
  it('starts without declarations', () => {
    expect(emptySessionFold()).toStrictEqual({
      lens: 'cumulative',
      lensSource: null,
      sessionLimit: null,
      restartLine: null,
      compactsAt: null,
      client: null,
      clientVersion: null,
      backfill: false,
      started: false,
      ended: false,
      totals: { main: freshContext.totals, side: freshContext.totals },
      continuations: 0,
      compactions: 0,
      lastState: 'nominal',
      pastRestartLine: false,
      trace: [],
      lastTurnAt: null,
      chains: {},
    });
  });

  it('has no chain before its first turn', () => {
    expect(emptyChain()).toMatchObject({
      turnCount: 0,
      lastKnown: { cumulative: 0, snapshot: null },
      statedLimits: {},
      learned: {},
      estimate: null,
      compactedAt: [],
      limit: { tokens: null, source: 'none', at: null },
      model: null,
      time: null,
      compactions: [],
      basis: null,
      growth: [],
    });
  });

  it('keeps declared values that a later start omits', () => {
    const declared = {
      limit: 90_000,
      restartLine: 0.8,
      compactsAt: 70_000,
      client: 'c',
      clientVersion: '1',
      lens: 'snapshot',
    } as const;
    const step = run.add('session_start', { ...declared, model: 'm', backfill: true, reason: 'resumed' });
    expect(step).toStrictEqual({
      ...nothing,
      events: [
        eventAt('window_changed', 3, {
          ...{ from: 1_000, fromSource: 'session', to: 90_000, source: 'session' },
          model: 'm',
        }),
        eventAt('session_started', 3, { reason: 'resumed' }),
      ],
    });
    const { limit, ...rest } = declared;
    expect(run.state).toMatchObject({
      ...rest,
      lensSource: 'transcript',
      sessionLimit: limit,
      backfill: true,
    });
    expect(run.state.chains.main).toMatchObject({ model: 'm', limit: { tokens: 90_000, source: 'session' } });
    expect(run.add('session_start', {})).toStrictEqual(nothing);
    expect(run.state).toMatchObject({
      ...rest,
      lensSource: 'transcript',
      sessionLimit: limit,
      backfill: false,
    });
  });

  it('changes its lens with the first declaration, then only with one of an equal or better source', () => {
    run.turn([10, 10]);
    run.add('session_start', { lens: 'snapshot' }, { source: 'sdk' });
    expect(run.state).toMatchObject({ lens: 'snapshot', lensSource: 'sdk', trace: [] });
    expect(run.state.chains.main).toMatchObject({ growth: [], record: { turns: 0 } });
    run.add('session_start', { lens: 'cumulative' }, { source: 'hook' });
    expect(run.state.lens).toBe('snapshot');
    run.reads(500);
    run.add('session_start', { lens: 'snapshot' });
    expect(run.state.trace).toHaveLength(1);
    run.add('session_start', { lens: 'cumulative' });
    expect(run.state).toMatchObject({ lens: 'cumulative', trace: [] });
  });

  it('ends without a reason if none is given', () => {
    const events = [eventAt('session_ended', 2, { reason: null })];
    expect(run.add('session_end', {}, minute(2))).toStrictEqual({ ...nothing, events });
  });

  it('ignores aliases', () => {
    const before = JSON.stringify(run.state);
    expect(run.add('session_alias', { client: 'c', clientSessionId: 'other' })).toStrictEqual(nothing);
    expect(JSON.stringify(run.state)).toBe(before);
  });
});

describe('a turn', () => {
  it('of the main chain is a row with sums, limit and both lenses', () => {
    expect(run.steps[1]).toStrictEqual({
      ...nothing,
      turn: {
        chain: 'main',
        context: 0,
        number: 1,
        cumulative: { input: 100, output: 50, cacheRead: 7 },
        limit: 1_000,
        limitSource: 'session',
        flags: noFlags,
        time: START + 60_000,
        usedCumulative: 150,
        usedSnapshot: 300,
      },
    });
  });

  it('with scope side has the main chain’s sums and its own flags', () => {
    const step = run.add(
      'turn',
      { usage: { input: -1, output: 50 }, scope: 'side', limit: 5_000 },
      minute(2, { clockOff: true }),
    );
    expect(step).toStrictEqual({
      ...nothing,
      turn: {
        ...run.steps[1]?.turn,
        number: 2,
        limit: 5_000,
        limitSource: 'turn',
        flags: { ...noFlags, negative: true, clock: true },
        time: START + 120_000,
      },
    });
    expect(run.state.lastTurnAt).toBe(START + 120_000);
    expect(run.state.chains.main?.limit).toMatchObject({ tokens: 1_000, source: 'session' });
  });

  it('without usage is flagged', () => {
    const { turn } = run.add('turn', { usage: null, basis: 'estimate' }, minute(2));
    expect(turn?.flags).toEqual({ ...noFlags, noUsage: true, untracked: true });
  });

  it('with an unused reading is flagged', () => {
    const { turn } = run.add('turn', { usage: {}, contextTokens: 200, basis: 'input' });
    expect(turn).toMatchObject({ usedSnapshot: 300, flags: { ...noFlags, readingIgnored: true } });
  });

  it('with scope side is measured against the window of its own model', () => {
    const limits = ['claude-fable-5', undefined].map((model) => {
      const snapshot = snapshotRun();
      snapshot.reads(10, { model: 'claude-opus-4-6' });
      return snapshot.add('turn', { usage: {}, scope: 'side', ...(model && { model }) }).turn?.limit;
    });
    expect(limits).toEqual([1_000_000, 200_000]);
  });

  it('never moves the session’s last activity back, on any chain', () => {
    run.add('turn', { usage: {} }, minute(9));
    run.add('turn', { usage: {}, chain: 'agent-1' }, minute(4));
    expect(run.state.lastTurnAt).toBe(START + 540_000);
    run.add('turn', { usage: {}, chain: 'agent-1' }, minute(12));
    expect(run.state.lastTurnAt).toBe(START + 720_000);
  });

  it('of a chain for a summary is counted as a compaction’s own call', () => {
    for (const chain of ['acompact-1', 'agent-1', 'acompact-2'])
      run.add('turn', { usage: { input: 1 }, chain });
    expect(run.state.summaryCalls).toBe(2);
  });

  it('drops an archive that waits for a compaction', () => {
    run.turn([1, 1]);
    expect(run.state.chains.main).not.toHaveProperty('archive');
    run.add('archive', { state: 'stored' });
    run.turn([1, 1]);
    expect(run.state.chains.main?.archive).toBeNull();
  });

  it('that reaches a bound and the line emits both events', () => {
    const change = { from: 'nominal', to: 'elevated', pressure: 0.55 };
    expect(run.add('turn', { usage: { input: 400 } }, minute(2)).events).toStrictEqual([
      eventAt('state_changed', 2, change, { turn: 2 }),
      eventAt('approaching_redline', 2, { pressure: 0.55 }, { turn: 2 }),
    ]);
  });

  it('copied from a parent session changes no sum and reopens no session', () => {
    run.add('session_end', {});
    const copy = run.add('turn', { usage: { input: 9 }, inherited: true, limit: 77 }, minute(3));
    expect(copy).toStrictEqual({
      ...nothing,
      turn: {
        ...run.steps[1]?.turn,
        limit: 77,
        limitSource: 'turn',
        flags: { ...noFlags, inherited: true },
        time: START + 180_000,
      },
    });
    expect(run.state.ended).toBe(true);
  });

  it('states the model’s limit, unless the turn is a side call or a copy', () => {
    run.add('turn', { usage: {}, model: 'a', limit: 11, scope: 'side' });
    run.add('turn', { usage: {}, model: 'b', limit: 12, inherited: true });
    expect(run.state.chains.main?.statedLimits).toEqual({});
    run.add('turn', { usage: {}, model: 'c', limit: 13 });
    expect(run.state.chains.main?.statedLimits).toEqual({ c: { tokens: 13, source: 'client', own: true } });
  });
});

describe('a reading on its own', () => {
  it('is stored as a row without a call', () => {
    expect(
      run.add(
        'reading',
        { contextTokens: 330, chain: 'a', limit: 500, model: 'm' },
        minute(4, { clockOff: true }),
      ),
    ).toStrictEqual({
      ...nothing,
      turn: {
        chain: 'a',
        context: 0,
        number: 0,
        cumulative: { input: 0, output: 0, cacheRead: 0 },
        limit: 500,
        limitSource: 'turn',
        flags: { ...noFlags, noUsage: true, clock: true, readingOnly: true },
        time: START + 240_000,
        usedCumulative: 0,
        usedSnapshot: 330,
      },
    });
    expect(run.state.chains.a).toMatchObject({ model: 'm', statedLimits: { m: { tokens: 500 } } });
    expect(run.state.chains.a?.context).toMatchObject({
      startedAt: START + 240_000,
      reading: { tokens: 330, basis: 'total' },
    });
  });

  it('without a limit does not state one', () => {
    run.add('reading', { contextTokens: 330 });
    run.turn([1, 1]);
    expect(Object.keys(run.state.chains.main?.statedLimits ?? { none: 1 })).toEqual([]);
  });

  it('that is ignored is stored as a row with the current reading', () => {
    const step = run.add('reading', { contextTokens: 320, basis: 'estimate', call: 'c2' }, minute(3));
    expect(step.turn).toMatchObject({ number: 1, usedSnapshot: 300 });
    expect(step.turn?.flags).toEqual({
      ...noFlags,
      estimated: true,
      noUsage: true,
      readingIgnored: true,
      readingOnly: true,
    });
    expect(run.state.chains.main?.context.reading).toEqual({ tokens: 300, basis: 'total' });
  });
});

describe('an item that changes no sum', () => {
  const noted = (chain: string, turn: number, kind: string, detail: object) => ({
    ...nothing,
    events: [eventAt(kind, 6, detail, { chain, turn })],
  });

  it('a compression is an event with the reported fields', () => {
    const said = { before: 9, after: 4 };
    expect(run.add('compress', said, minute(6))).toStrictEqual(noted('main', 1, 'context_compressed', said));
    expect(run.add('compress', { ...said, removed: 2, chain: 'a' }, minute(6))).toStrictEqual(
      noted('a', 0, 'context_compressed', { ...said, removed: 2 }),
    );
  });

  it('a gap is an event with null for unknown fields', () => {
    const detail = { from: null, to: null, count: 2, reason: null };
    expect(run.add('gap', { count: 2 }, minute(6))).toStrictEqual(noted('main', 1, 'turns_dropped', detail));
    expect(run.add('gap', { count: 2, chain: 'a', bound: 'atLeast' }, minute(6))).toStrictEqual(
      noted('a', 0, 'turns_dropped', { ...detail, bound: 'atLeast' }),
    );
  });

  it('a gap makes the sums of its own chain a lower bound', () => {
    run.add('gap', { count: 2, chain: 'a' });
    expect(run.state.chains.main?.context.complete).toBe(true);
    expect(run.state.chains.a?.context.complete).toBe(false);
  });

  it('an archive is an event with the reported fields', () => {
    const said = { trigger: 'auto', reason: 'r', path: 'p', bytes: 1, lines: 2, sha256: 's' } as const;
    const failed = run.add('archive', { state: 'failed', ...said }, minute(6));
    expect(failed).toStrictEqual(noted('main', 1, 'archive_failed', said));
    expect(run.add('archive', { state: 'skipped' }).events[0]?.detail).toStrictEqual({});
    expect(run.state.chains.main?.archive?.detail).toStrictEqual({ state: 'skipped' });
  });
});
