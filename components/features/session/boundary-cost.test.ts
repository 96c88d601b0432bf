import { describe, expect, it } from 'vitest';
import { eventOf } from '@/core/events/event.fixture';
import { compactionCost } from './boundary-cost';

const at = (second: number) => new Date(second * 1_000).toISOString();
const event = (detail: Record<string, unknown>) =>
  eventOf({ id: 'c', kind: 'compaction', turn: 12, at: at(100), detail });
const figures = { preTokens: 155_413, firstReading: 59_944 };
const call = (second: number, cacheCreation = 0, input = 0, chain = 'main') => ({
  chain,
  at: at(second),
  usage: { input, output: 300, cacheRead: 1_000, cacheCreation },
});
const around = { before: null, after: null, summary: null };

describe('cost of a compaction', () => {
  it('includes dropped tokens, duration, uncached tokens of the next turn, and the summary call', () => {
    expect(
      compactionCost(event({ ...figures, durationMs: 74_284 }), {
        before: call(20),
        after: call(130, 58_000, 12),
        summary: call(99, 0, 9),
      }),
    ).toEqual({
      dropped: { tokens: 95_469, share: 95_469 / 155_413 },
      duration: { ms: 74_284, isStated: true },
      reread: 58_012,
      summary: { sent: 1_009, cached: 1_000, written: 300, isFromFile: false },
    });
  });

  it('uses the time since the last turn as an upper bound of an unreported duration', () => {
    expect(compactionCost(event(figures), { ...around, before: call(23) }).duration).toEqual({
      ms: 77_000,
      isStated: false,
    });
    expect(compactionCost(event(figures), { ...around, after: call(130) }).duration).toBeNull();
    // The runner's clock is ahead, so the time is unknown.
    expect(compactionCost(event(figures), { ...around, before: call(101) }).duration).toBeNull();
  });

  it('stays unknown if a figure is missing', () => {
    expect(
      compactionCost(event({ preTokens: 9 }), { ...around, after: { ...call(130), usage: null } }),
    ).toMatchObject({ dropped: null, duration: null, reread: null });
  });

  it('reports a missing summary call only after the calls are read', () => {
    expect(compactionCost(event(figures), null).summary).toBeNull();
    expect(compactionCost(event(figures), around).summary).toBe('unreported');
    expect(
      compactionCost(event(figures), { ...around, summary: call(99, 0, 9, 'acompact-1') }).summary,
    ).toMatchObject({ isFromFile: true });
  });
});
