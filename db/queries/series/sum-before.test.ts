import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketTurns } from '../../../core/series/pyramid';
import { wholeBuckets } from './sum-before';

describe('whole buckets before a turn', () => {
  it('follow each other without gap or overlap, and hold each turn before it', () => {
    fc.assert(
      fc.property(fc.nat(3_000_000), (buckets) => {
        const turns = buckets * bucketTurns(0);
        const ranges = wholeBuckets(turns).reverse();
        let covered = 0;
        for (const { level, from, to } of ranges) {
          expect(from * bucketTurns(level)).toBe(covered);
          covered = to * bucketTurns(level);
        }
        expect(covered).toBe(turns);
      }),
    );
  });

  it('are few for a chain of any length', () => {
    const count = wholeBuckets(16 * 8 ** 6 - 16).reduce((sum, { from, to }) => sum + to - from, 0);
    expect(count).toBeLessThanOrEqual(7 * 6);
  });
});
