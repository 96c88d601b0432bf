import { describe, expect, it } from 'vitest';
import { pointOf } from './series-fixture';
import { thinPoints } from './thin-points';

describe('thinPoints', () => {
  const many = Array.from({ length: 900 }, (_, i) =>
    pointOf({ n: i + 1, used: i === 333 ? 230_000 : 50_000, context: i < 400 ? 0 : 1, cacheRead: 7 }),
  );
  it('stays within 300 points and keeps the peak, the sums and the last turns', () => {
    const thinned = thinPoints(many);
    expect(thinned.length).toBeLessThanOrEqual(300);
    expect(Math.max(...thinned.map((point) => point.max ?? 0))).toBe(230_000);
    expect(thinned.reduce((sum, point) => sum + point.cacheRead, 0)).toBe(900 * 7);
    expect(thinned.reduce((sum, point) => sum + point.turns, 0)).toBe(900);
    expect(thinned.slice(-10).every((point) => point.turns === 1)).toBe(true);
  });
  it('never merges two contexts', () => {
    const thinned = thinPoints(many);
    const first = thinned.filter((point) => point.context === 0).reduce((sum, point) => sum + point.turns, 0);
    expect(first).toBe(400);
  });
  it('merges only the closest points, so that one more turn moves nothing visible', () => {
    const uneven = Array.from({ length: 301 }, (_, i) =>
      pointOf({ n: i + 1, t: i * 60_000 - (i === 100 ? 59_000 : 0) }),
    );
    const thinned = thinPoints(uneven);
    expect(thinned).toHaveLength(300);
    expect(thinned.filter((point) => point.turns === 2).map((point) => point.n)).toEqual([101]);
    expect(thinned[0]).toBe(uneven[0]);
  });
  it('leaves a small series unchanged', () => {
    const few = many.slice(0, 300);
    expect(thinPoints(few)).toBe(few);
  });
});
