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

describe('what a compaction cost', () => {
  it('is what it dropped, its duration, what the next turn re-sent uncached, and its own call', () => {
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
      counts: null,
    });
  });

  it('is bounded by the time since the last turn where no duration was reported', () => {
    expect(compactionCost(event(figures), { ...around, before: call(23) }).duration).toEqual({
      ms: 77_000,
      isStated: false,
    });
    expect(compactionCost(event(figures), { ...around, after: call(130) }).duration).toBeNull();
    // A clock that runs ahead says nothing.
    expect(compactionCost(event(figures), { ...around, before: call(101) }).duration).toBeNull();
  });

  it('stays unknown where a figure is missing, and is no number made up', () => {
    expect(
      compactionCost(event({ preTokens: 9 }), { ...around, after: { ...call(130), usage: null } }),
    ).toMatchObject({ dropped: null, duration: null, reread: null });
  });

  it('says that its own call was not reported only once it was looked up', () => {
    expect(compactionCost(event(figures), null).summary).toBeNull();
    expect(compactionCost(event(figures), around).summary).toBe('unreported');
    expect(
      compactionCost(event(figures), { ...around, summary: call(99, 0, 9, 'acompact-1') }).summary,
    ).toMatchObject({ isFromFile: true });
  });

  it('names what the client counted beyond the last turn’s reading', () => {
    const { counts } = compactionCost(event({ ...figures, lastReading: 151_000 }), null);
    expect(counts).toEqual({ stated: 155_413, read: 151_000 });
    expect(compactionCost(event({ ...figures, lastReading: 155_413 }), null).counts).toBeNull();
  });
});
