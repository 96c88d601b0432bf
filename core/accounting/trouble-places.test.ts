/** Trouble belongs to one chain. The session shows the trouble of its main chain. */
import { beforeEach, describe, expect, it } from 'vitest';
import { FoldRun } from './fold-testing';
import type { SessionFold } from './fold-types';

let run: FoldRun;
beforeEach(() => {
  run = new FoldRun();
  run.add('session_start', { limit: 1_000_000 });
});

/** Calls with a prompt of 100 000 tokens and this share from the cache. */
function calls(count: number, share: number, chain = 'main') {
  const usage = { input: 100_000 * (1 - share), cacheRead: 100_000 * share };
  for (let n = 0; n < count; n += 1) run.add('turn', { usage, chain });
}
const place = { at: 1, context: 0, turn: 1 };
type Trouble = SessionFold['trouble'];
const detailOf = {
  refill: { form: 'refill', turns: 4, inARow: 1 },
  full: { form: 'restart_full', used: 9, limit: 10, line: 1 },
  storm: { usualShare: 0.9, share: 0.1, missed: 3, of: 5, tokens: 1 },
} as const;
const refill: Trouble = { kind: 'thrash', ...place, detail: detailOf.refill };
const full: Trouble = { kind: 'thrash', ...place, detail: detailOf.full };
const storm: Trouble = { kind: 'cache_storm', ...place, detail: detailOf.storm };

describe('a storm that is over', () => {
  it('does not end other trouble', () => {
    calls(11, 0.9);
    calls(3, 0);
    expect(run.state.trouble?.kind).toBe('cache_storm');
    calls(5, 0.9);
    expect(run.state.trouble).toBeNull();
    calls(3, 0);
    calls(4, 0.9);
    run.state.trouble = { ...full };
    const thrash = { ...run.state.trouble };
    for (const chain of Object.values(run.state.chains)) chain.context.mainTurns = 5;
    calls(1, 0.9);
    expect(run.state.trouble).toEqual(thrash);
    run.state.trouble = null;
    calls(3, 0);
    run.state.trouble = null;
    calls(5, 0.9);
    expect(run.state.trouble).toBeNull();
  });

  it('in a sub-agent does not end the storm of the main chain', () => {
    calls(11, 0.9, 'agent-1');
    calls(3, 0, 'agent-1');
    expect(run.kinds()).toContain('cache_storm');
    expect(run.state.trouble ?? null).toBeNull();
    run.state.trouble = storm;
    calls(5, 0.9, 'agent-1');
    expect(run.state.trouble).toEqual(storm);
  });
});

describe('thrash', () => {
  it('of the main chain does not end with turns of a sub-agent', () => {
    run.state.trouble = refill;
    calls(12, 0.9, 'agent-1');
    calls(10, 0.9);
    expect(run.state.trouble).toEqual(refill);
    calls(1, 0.9);
    expect(run.state.trouble).toBeNull();
  });

  it('of a sub-agent is an event only', () => {
    const compaction = { trigger: 'auto', state: 'confirmed', chain: 'agent-1' } as const;
    run.add('compaction', { ...compaction, boundary: 'a' });
    run.add('compaction', { ...compaction, boundary: 'b' });
    expect(run.events.at(-1)).toMatchObject({ kind: 'thrash', chain: 'agent-1' });
    expect(run.state.trouble ?? null).toBeNull();
    expect(run.state.chains['agent-1']?.refills).toBe(1);
  });

  it('is reported for a refill after ten main turns; a refill after eleven resets the count', () => {
    const compact = (boundary: string) =>
      run.add('compaction', { trigger: 'auto', state: 'confirmed', boundary }).events.at(-1);
    compact('a');
    calls(10, 0.9);
    expect(compact('b')).toMatchObject({ kind: 'thrash', detail: { form: 'refill', turns: 10, inARow: 1 } });
    calls(11, 0.9);
    expect(compact('c')).toMatchObject({ kind: 'compaction' });
    expect(run.state.chains.main?.refills).toBe(0);
  });

  it('that a restart caused ends with the first turn below the restart line', () => {
    run.add('session_start', { limit: 1_000, lens: 'snapshot' });
    run.add('restart', {});
    const step = run.reads(900);
    const detail = { form: 'restart_full', used: 900, limit: 1_000, line: 900 };
    const trouble = { kind: 'thrash', context: 1, at: step.turn?.time, turn: 1, detail };
    expect(step.events.at(-1)).toEqual({ ...trouble, chain: 'main' });
    expect(run.state.trouble).toEqual(trouble);
    run.reads(900);
    expect(run.state.trouble).not.toBeNull();
    run.reads(899);
    expect(run.state.trouble).toBeNull();
  });

  it('is reported after a restart only if size and window are known', () => {
    const withWindow = (limit: number | undefined, contextTokens?: number) => {
      const fresh = new FoldRun();
      fresh.add('session_start', { lens: 'snapshot', ...(limit !== undefined && { limit }) });
      fresh.add('restart', {});
      fresh.add('turn', { usage: {}, ...(contextTokens !== undefined && { contextTokens }) });
      return fresh.kinds().includes('thrash');
    };
    expect(withWindow(1_000, 900)).toBe(true);
    expect(withWindow(1_000) || withWindow(undefined, 900) || withWindow(0, 900)).toBe(false);
  });

  it('is reported after a restart only for the first main turn', () => {
    run.add('session_start', { limit: 1_000, lens: 'snapshot' });
    run.add('restart', {});
    run.reads(100);
    run.reads(950);
    run.add('clear', {});
    run.reads(950);
    expect(run.kinds()).not.toContain('thrash');
  });
});
