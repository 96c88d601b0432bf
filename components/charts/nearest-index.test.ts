import { describe, expect, it } from 'vitest';
import { nearestIndex } from './nearest-index';

describe('the nearest of ascending places', () => {
  it('is the closer neighbour, the lower one at half-way, and an end beyond it', () => {
    const values = [1, 2, 5, 9];
    expect([-4, 1, 1.5, 1.6, 3.5, 4, 7, 8, 99].map((wanted) => nearestIndex(values, wanted))).toEqual([
      0, 0, 0, 1, 1, 2, 2, 3, 3,
    ]);
  });

  it('is none without places', () => {
    expect(nearestIndex([], 3)).toBe(-1);
  });
});
