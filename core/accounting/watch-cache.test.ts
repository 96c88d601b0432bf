import { beforeEach, describe, expect, it } from 'vitest';
import { emptyChain } from './empty-fold';
import type { ChainFold } from './fold-types';
import { calmCache, watchCache } from './watch-cache';

let chain: ChainFold;
beforeEach(() => {
  chain = emptyChain();
  chain.context.mainTurns = 3;
});

/** One call with a prompt of this size and this share from the cache. */
function call(share: number, promptTokens = 100_000) {
  const cacheRead = Math.round(promptTokens * share);
  const fresh = promptTokens - cacheRead;
  return watchCache(chain, { input: fresh, output: 9, cacheRead, cacheCreation: 0, negative: false });
}
function calls(count: number, share: number) {
  for (let n = 0; n < count; n += 1) call(share);
}
/** The missed calls as bits, oldest first. */
const missedOf = () => chain.cache?.[2].toString(2);

describe('watched calls', () => {
  it('have prompts of at least 4 000 tokens', () => {
    call(0.5, 3_999);
    expect(chain.cache).toBeUndefined();
    watchCache(chain, {
      input: 1_000,
      output: 99_000,
      cacheRead: 2_000,
      cacheCreation: 1_000,
      negative: false,
    });
    expect(chain.cache).toEqual([0.5, 1, 0, 0, 0]);
  });

  it('exclude the first two of a context', () => {
    chain.context.mainTurns = 2;
    call(0.5);
    expect(chain.cache).toBeUndefined();
    chain.context.mainTurns = 3;
    call(0.5);
    expect(chain.cache).toBeDefined();
  });
});

describe('the usual share', () => {
  it('is the mean of the calls so far, then of the last twenty calls', () => {
    call(1);
    call(0.5);
    expect(chain.cache?.slice(0, 2)).toEqual([0.75, 2]);
    call(0.9);
    expect(chain.cache?.slice(0, 2)).toEqual([0.8, 3]);
    calls(30, 0.8);
    expect(chain.cache?.slice(0, 2)).toEqual([0.8, 20]);
    call(1);
    expect(chain.cache?.[0]).toBe(0.81);
  });

  it('changes little after missed calls', () => {
    calls(8, 0.8);
    call(0.2);
    expect(chain.cache?.[0]).toBe(0.79);
  });
});

describe('a missed call', () => {
  it('has less than half of the usual share', () => {
    calls(8, 0.8);
    call(0.4);
    expect(missedOf()).toBe('0');
    call(0.3);
    expect(missedOf()).toBe('1');
  });

  it('is detected from the ninth call on', () => {
    calls(7, 0.8);
    call(0);
    expect(missedOf()).toBe('0');
    calls(1, 0.8);
    call(0);
    expect(missedOf()).toBe('1');
  });

  it('needs a usual share of at least 60 %', () => {
    calls(8, 0.6);
    call(0);
    expect(missedOf()).toBe('1');
    chain = emptyChain();
    chain.context.mainTurns = 3;
    calls(8, 0.59);
    call(0);
    expect(missedOf()).toBe('0');
  });

  it('is remembered for five calls, with its uncached tokens', () => {
    calls(8, 0.8);
    call(0.1);
    call(0.8);
    call(0.1);
    expect(missedOf()).toBe('101');
    expect(chain.cache?.[3]).toBe(180_000);
    calls(3, 0.8);
    expect(missedOf()).toBe('1000');
    expect(chain.cache?.[3]).toBe(180_000);
    calls(1, 0.8);
    expect(missedOf()).toBe('10000');
    calls(1, 0.8);
    expect(chain.cache?.slice(2)).toEqual([0, 0, 0]);
  });
});

describe('a storm', () => {
  it('starts with the third missed call of five, once, with its cost', () => {
    calls(8, 0.8);
    expect([call(0.1), call(0.8), call(0.1), call(0.8)]).toEqual([null, null, null, null]);
    const detail = { usualShare: expect.closeTo(0.78, 2), share: 0.05, missed: 3, of: 5, tokens: 275_000 };
    expect(call(0.05)).toEqual({ kind: 'cache_storm', detail });
    expect(chain.cache?.[4]).toBe(1);
    expect([call(0), call(0)]).toEqual([null, null]);
  });

  it('is over once five calls in a row came from the cache', () => {
    calls(8, 0.8);
    calls(3, 0);
    expect([call(0.8), call(0.8), call(0.8), call(0.8)]).toEqual([null, null, null, null]);
    expect(call(0.8)).toBe('over');
    expect(chain.cache?.[4]).toBe(0);
    expect(call(0.8)).toBeNull();
  });

  it('ends with its context, but the usual share stays', () => {
    calls(8, 0.8);
    calls(3, 0);
    const [habit, count] = chain.cache ?? [];
    calmCache(chain);
    expect(chain.cache).toEqual([habit, count, 0, 0, 0]);
  });

  it('has no record without watched calls', () => {
    calmCache(chain);
    expect(chain).not.toHaveProperty('cache');
  });
});
