/** The effect of a boundary on a small session, in every field: the event, the ended context and the next context. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type FoldRun, START } from './fold-testing';
import { eventAt, freshContext, minute, nothing, startedRun } from './step-testing';

let run: FoldRun;
beforeEach(() => {
  run = startedRun();
});

describe('a boundary', () => {
  const ended = {
    ...freshContext,
    index: 0,
    startedBy: null,
    startedAt: START + 60_000,
    turnCount: 1,
    totals: { input: 100, output: 50, cacheRead: 7, cacheCreation: 3, calls: 1 },
    cumulative: { input: 100, output: 50, cacheRead: 7 },
    mainTurns: 1,
    lastMainAt: START + 60_000,
    reading: { tokens: 300, basis: 'total' },
    firstOccupancy: 150,
    lastOccupancy: 150,
    peakOccupancy: 150,
  };
  const before = { usedBefore: 150, limit: 1_000, contextBefore: 0, contextAfter: 1 };

  it('by a restart has defaults for what the runner omits', () => {
    expect(run.add('restart', {}, minute(11))).toStrictEqual({
      ...nothing,
      events: [eventAt('restart', 11, { continuation: 1, reason: null, pressure: 0.15, ...before })],
      closed: { chain: 'main', context: ended, endedAt: START + 660_000, endedBy: 'restart', limit: 1_000 },
    });
    expect(run.state.chains.main?.context).toStrictEqual({
      ...freshContext,
      index: 1,
      startedBy: 'restart',
      startedAt: START + 660_000,
    });
  });

  it('by a restart keeps what the runner reports', () => {
    const said = { continuation: 5, reason: 'x', pressure: 0.7, checkpoint: 'k', prompt: 'p' };
    expect(run.add('restart', said).events[0]?.detail).toStrictEqual({ ...said, ...before });
  });

  it('by a clear affects only its own chain', () => {
    run.add('reading', { contextTokens: 330, chain: 'a' }, minute(4));
    const step = run.add('clear', { chain: 'a' }, minute(10));
    const detail = { tokensCleared: 0, usedBefore: 0, limit: 1_000, contextBefore: 0, contextAfter: 1 };
    expect(step.events).toStrictEqual([eventAt('context_cleared', 10, detail, { chain: 'a', turn: 0 })]);
    expect(step.closed).toMatchObject({ chain: 'a', endedBy: 'clear', limit: 1_000 });
    expect(run.state.chains.main?.context.index).toBe(0);
    expect(run.state.trace.at(-1)?.[0]).toBe((START + 60_000) / 1_000);
  });

  it('by a compaction has its figures and waits for a first reading', () => {
    const said = {
      trigger: 'auto',
      state: 'confirmed',
      preTokens: 900,
      postTokens: 40,
      durationMs: 8,
    } as const;
    const endedAt = START + 540_000;
    expect(run.add('compaction', said, minute(9))).toStrictEqual({
      ...nothing,
      events: [eventAt('compaction', 9, { ...said, lastReading: 300, ...before })],
      closed: { chain: 'main', context: ended, endedAt, endedBy: 'compaction', limit: 1_000 },
    });
    expect(run.state.chains.main?.context).toStrictEqual({
      ...freshContext,
      index: 1,
      startedBy: 'compaction',
      startedAt: START + 540_000,
      awaitsFirstReading: true,
    });
  });

  it('is not created by an announcement', () => {
    const said = { trigger: 'manual', state: 'pending' } as const;
    const { contextAfter: _, ...known } = before;
    expect(run.add('compaction', said, minute(9, { source: 'hook' }))).toStrictEqual({
      ...nothing,
      events: [eventAt('compaction', 9, { ...said, ...known, lastReading: 300 })],
    });
  });

  it('drops the growth of the old context and keeps its record for the forecast', () => {
    run.turn([50, 0]);
    expect(run.state.chains.main).toMatchObject({ growth: [[2, 50]], record: { turns: 1 } });
    run.add('restart', {});
    expect(run.state.chains.main).toMatchObject({ growth: [], record: { turns: 0 } });
  });

  it('ends a cache storm but not a thrash', () => {
    const trouble = { at: START, context: 0, turn: 1 };
    const storm = { usualShare: 0.9, share: 0.1, missed: 3, of: 5, tokens: 1 };
    run.state.trouble = { kind: 'cache_storm', detail: storm, ...trouble };
    run.add('restart', {});
    expect(run.state.trouble).toBeNull();
    const thrash = { kind: 'thrash', detail: { form: 'refill', turns: 1, inARow: 1 }, ...trouble } as const;
    run.state.trouble = thrash;
    run.add('restart', {});
    expect(run.state.trouble).toEqual(thrash);
  });
});
