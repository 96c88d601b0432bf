import { describe, expect, it } from 'vitest';
import { prepareContextTrace } from './prepare-context-trace';
import { callOf, outlineOf } from './testing/outline';

const SIZE = { width: 132, height: 700 };
const NONE = { summary: null, at: null, trigger: 'auto', postTokens: null, durationMs: null } as const;
const compaction = (entry: number, preTokens: number | null = null) => ({ ...NONE, entry, preTokens });

describe('the trace beside a conversation', () => {
  it('steps with each call of the main chain, and starts over after a compaction', () => {
    const outline = outlineOf(Array(100).fill({ kind: 'user' }), {
      window: 200_000,
      calls: [callOf(0, 50_000), callOf(20, 100_000), callOf(30, 9_000, 1), callOf(60, 40_000)],
      compactions: [compaction(50)],
    });
    const trace = prepareContextTrace(outline, { width: 212, height: 100 });
    expect(trace.most).toBe(212_000);
    expect(trace.path).toBe('M50 0V20H100V50M40 60V100');
    expect(trace.gaps).toBe('M-6 45.5h224v9h-224z');
    expect(trace.hatches).toMatch(/^M/);
  });

  it('keeps the largest of the calls on one pixel', () => {
    const calls = Array.from({ length: 50_000 }, (_, index) =>
      callOf(index, index === 25_001 ? 190_000 : 10_000),
    );
    const trace = prepareContextTrace(outlineOf(Array(50_000).fill({ kind: 'assistant' }), { calls }), SIZE);
    expect(trace.path.length).toBeLessThan(30_000);
    expect(trace.path).toContain(`H${Math.round(trace.x(190_000) * 100) / 100}`);
  });

  it('ends a context at the client’s count, as the session page does, for any size of the last call', () => {
    const calls = [callOf(0, 150_000), callOf(2, 20_000)];
    const hatched = (preTokens: number | null) =>
      prepareContextTrace(
        outlineOf('user compaction user', { calls, compactions: [compaction(1, preTokens)] }),
        SIZE,
      ).hatches;
    expect(hatched(155_000)).not.toBe(hatched(null));
    expect(hatched(150_000)).toBe(hatched(null));
  });

  it('is empty without calls, and uses the client’s count if no call precedes a compaction', () => {
    const outline = outlineOf('user compaction user', { compactions: [compaction(1, 150_000)] });
    const trace = prepareContextTrace(outline, SIZE);
    expect([trace.path, trace.hatches]).toEqual(['', '']);
    expect(trace.gaps).toMatch(/^M/);
    expect(trace.times.length).toBeGreaterThan(0);
    const late = { ...outline, compactions: [compaction(1, 150_000)], calls: [callOf(2, 20_000)] };
    expect(prepareContextTrace(late, SIZE)).toMatchObject({
      path: expect.stringMatching(/^M/),
      hatches: expect.stringMatching(/^M/),
    });
  });
});
