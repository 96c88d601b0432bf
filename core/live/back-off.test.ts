import { describe, expect, it } from 'vitest';
import { backOffDelay } from './back-off';

describe('backOffDelay', () => {
  it('doubles its ceiling with each attempt, up to the cap', () => {
    const ceilings = [1, 2, 3, 4, 5, 6, 7, 100].map((attempt) => backOffDelay(attempt, 1 - Number.EPSILON));
    expect(ceilings).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  });

  it('is a random part of its ceiling', () => {
    expect(backOffDelay(3, 0)).toBe(0);
    expect(backOffDelay(3, 0.25)).toBe(500);
  });
});
