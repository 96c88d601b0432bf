import { describe, expect, it } from 'vitest';
import { addCall, addTotals, cacheShareOf, countUsage, emptyTotals, findOverflow, MAX_SUM } from './counts';

const none = { input: 0, output: 0, cacheRead: 0, cacheCreation: 0 };

const COUNT_FIELDS = ['input', 'output', 'cacheRead', 'cacheCreation'] as const;

describe('a count of a usage report', () => {
  it('is 0 if it is absent or zero, and the report is not flagged', () => {
    expect(countUsage({})).toEqual({ ...none, negative: false });
    expect(countUsage({ input: 0, output: 0, cacheRead: 0, cacheCreation: 0 }).negative).toBe(false);
  });

  it.each(COUNT_FIELDS)('is 0 if %s is negative, and the report is flagged', (field) => {
    const usage = { input: 1, output: 2, cacheRead: 3, cacheCreation: 4, [field]: -5 };
    expect(countUsage(usage)).toEqual({ ...usage, [field]: 0, negative: true });
  });
});

describe('a sum', () => {
  const counts = { ...none, negative: false };

  it.each(COUNT_FIELDS)('of %s over main and side may be at most 2^53−1', (field) => {
    const main = { ...emptyTotals(), [field]: MAX_SUM - 30 };
    const side = { ...emptyTotals(), [field]: 10 };
    expect(findOverflow(main, side, { ...counts, [field]: 20 })).toBeNull();
    expect(findOverflow(main, side, { ...counts, [field]: 21 })).toBe(field);
    expect(findOverflow(side, main, { ...counts, [field]: 21 })).toBe(field);
  });

  it('counts one call, with or without usage', () => {
    const totals = emptyTotals();
    addCall(totals, { input: 1, output: 2, cacheRead: 3, cacheCreation: 4, negative: false });
    addCall(totals, null);
    expect(totals).toEqual({ input: 1, output: 2, cacheRead: 3, cacheCreation: 4, calls: 2 });
    expect(addTotals(totals, { input: 10, output: 20, cacheRead: 30, cacheCreation: 40, calls: 5 })).toEqual({
      input: 11,
      output: 22,
      cacheRead: 33,
      cacheCreation: 44,
      calls: 7,
    });
  });
});

it('the cache share is the cached part of the sent tokens, null if nothing was sent', () => {
  expect(cacheShareOf({ input: 10, cacheRead: 60, cacheCreation: 30 })).toBe(0.6);
  expect(cacheShareOf({ input: 0, cacheRead: 5, cacheCreation: 0 })).toBe(1);
  expect(cacheShareOf({ input: 1, cacheRead: 0, cacheCreation: 0 })).toBe(0);
  expect(cacheShareOf({ input: 0, cacheRead: 0, cacheCreation: 0 })).toBeNull();
});
