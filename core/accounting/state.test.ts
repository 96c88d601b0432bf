import { describe, expect, it } from 'vitest';
import { decimalShare, floorOf, pressureOf, tokensAt } from './state';
import { isNever, resolveThresholds } from './thresholds';

describe('pressure', () => {
  it('is a share of the limit, never clamped', () => {
    expect(pressureOf(50_000, 200_000)).toBe(0.25);
    expect(pressureOf(300_000, 200_000)).toBe(1.5);
    expect(pressureOf(0, 1)).toBe(0);
  });

  it('is unknown without a size or a limit, and 0 if the limit is 0 or less', () => {
    expect(pressureOf(null, 200_000)).toBeNull();
    expect(pressureOf(1, null)).toBeNull();
    expect(pressureOf(null, 0)).toBeNull();
    expect(pressureOf(1, 0)).toBe(0);
    expect(pressureOf(1, -5)).toBe(0);
  });
});

describe('a line in tokens', () => {
  it('is exact for any limit', () => {
    expect(tokensAt(1, Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER);
    expect(tokensAt(0.29, 100)).toBe(29);
    expect(tokensAt(0.9, 999_999_999_999_991)).toBe(899_999_999_999_991);
    expect(tokensAt(0.9, Number.MAX_SAFE_INTEGER)).toBe(8_106_479_329_266_891);
    expect(tokensAt(1e-7, 1e15)).toBe(100_000_000);
    expect(tokensAt(1e21, 3)).toBe(3e21);
    expect(tokensAt(0.9, 0)).toBe(0);
    expect(tokensAt(0.9, -5)).toBe(0);
    expect(tokensAt(Number.POSITIVE_INFINITY, 100)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('lines and bounds', () => {
  it('of at most 1 can be reached; a line above 1 means never', () => {
    expect([isNever(0.9), isNever(1), isNever(1.1)]).toEqual([false, false, true]);
  });

  it.each([
    { elevated: 0.75 },
    { warning: 0.85 },
    { critical: 0.7 },
    { critical: 1 },
    { redlined: 0.85 },
    { warning: 0.5 },
    { elevated: 0.8 },
    { redlined: 0.8 },
  ])('must ascend: rejects %j', (overrides) => {
    expect(() => resolveThresholds(overrides)).toThrow(
      'the bounds must ascend: elevated < warning < critical < redlined',
    );
  });

  it.each([0, -0.1, Number.NaN, Number.POSITIVE_INFINITY])('are shares above 0: rejects %s', (line) => {
    expect(() => resolveThresholds({ compressLine: line })).toThrow(
      '"compressLine" must be a share of the limit above 0, as in 0.75',
    );
  });
});

describe('a share as a fraction of its digits', () => {
  it.each([
    [0.29, 29n, 100n],
    [0.9, 9n, 10n],
    [1, 1n, 1n],
    [0, 0n, 1n],
    [12.5, 125n, 10n],
    [1.5e-7, 15n, 10n ** 8n],
    [1e-9, 1n, 10n ** 9n],
    [2.5e22, 25n * 10n ** 21n, 1n],
    [1e21, 10n ** 21n, 1n],
  ])('%d is exact', (share, numerator, denominator) => {
    expect(decimalShare(share)).toEqual({ numerator, denominator });
  });

  it('of a whole number of tokens is rounded down without a binary error', () => {
    expect(floorOf(decimalShare(0.29), 100)).toBe(29);
    expect(floorOf(decimalShare(0.9), 199_999)).toBe(179_999);
    expect(floorOf(decimalShare(1e21), 3)).toBe(3e21);
  });
});
