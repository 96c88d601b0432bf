import { describe, expect, it } from 'vitest';
import { decimalShare, floorOf } from './state';

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

  it('of a whole number is rounded down, and only what is beyond its digits', () => {
    expect(floorOf(decimalShare(0.29), 100)).toBe(29);
    expect(floorOf(decimalShare(0.9), 199_999)).toBe(179_999);
    expect(floorOf(decimalShare(1e21), 3)).toBe(3e21);
  });
});
