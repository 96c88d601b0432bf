import { describe, expect, it } from 'vitest';
import type { SeriesPoint } from '../api/series';
import { testPoint } from '../live/testing-rows';
import { fc } from '../testing/property-runs';
import { downsample } from './downsample';

const point = (n: number, used: number | null, context = 0) => testPoint(n, { used, context, cacheRead: 3 });

/** A session with one context per `length` turns. Some contexts have unknown values. */
const sessions = fc
  .array(fc.record({ length: fc.integer({ min: 1, max: 400 }), known: fc.boolean() }), {
    minLength: 1,
    maxLength: 12,
  })
  .chain((runs) =>
    fc.array(fc.integer({ min: 0, max: 300_000 }), { minLength: 1, maxLength: 50 }).map((values) => {
      const points: SeriesPoint[] = [];
      runs.forEach((run, context) => {
        for (let i = 0; i < run.length; i += 1) {
          const value = values[(points.length * 7) % values.length] ?? 0;
          points.push(point(points.length + 1, run.known ? value : null, context));
        }
      });
      return points;
    }),
  );

describe('downsample', () => {
  it('leaves a series within the budget unchanged', () => {
    const points = [point(1, 10), point(2, 20)];
    expect(downsample(points, 300)).toEqual(points);
  });

  it('keeps the smallest, the largest and the last value of a bucket', () => {
    const values = Array.from({ length: 1_000 }, (_, i) => (i === 500 ? 999_999 : i === 501 ? 1 : 50_000));
    const thinned = downsample(
      values.map((value, i) => point(i + 1, value)),
      100,
    );
    expect(Math.max(...thinned.map((p) => p.max ?? 0))).toBe(999_999);
    expect(Math.min(...thinned.map((p) => p.min ?? Number.POSITIVE_INFINITY))).toBe(1);
    for (const p of thinned) expect(p.used).toBe(values[p.n - 1]);
  });

  it('never fills the gap between two known parts', () => {
    const points = Array.from({ length: 900 }, (_, i) => point(i + 1, i >= 300 && i < 600 ? null : i));
    const thinned = downsample(points, 60);
    const unknown = thinned.filter((p) => p.used === null);
    expect(unknown.length).toBeGreaterThan(0);
    expect(unknown.every((p) => p.min === null && p.max === null)).toBe(true);
    expect(unknown.reduce((sum, p) => sum + p.turns, 0)).toBe(300);
  });

  it('keeps first and last of the range even if contexts outnumber the budget', () => {
    const points = Array.from({ length: 500 }, (_, i) => point(i + 1, i, i));
    const thinned = downsample(points, 50);
    expect(thinned.length).toBeLessThanOrEqual(50);
    expect(thinned[0]).toEqual(points[0]);
    expect(thinned.at(-1)).toEqual(points.at(-1));
  });

  it('stays within the budget, in order, and counts every turn and token once', () => {
    fc.assert(
      fc.property(sessions, fc.integer({ min: 2, max: 300 }), (points, budget) => {
        const thinned = downsample(points, budget);
        expect(thinned.length).toBeLessThanOrEqual(budget);
        expect(thinned[0]).toEqual(points[0]);
        if (budget > 2) {
          const sum = (pick: (p: SeriesPoint) => number, of: SeriesPoint[]) =>
            of.reduce((s, p) => s + pick(p), 0);
          expect(sum((p) => p.turns, thinned)).toBe(points.length);
          expect(sum((p) => p.cacheRead, thinned)).toBe(3 * points.length);
        }
        thinned.forEach((p, i) => {
          const before = thinned[i - 1];
          if (before) expect(p.n).toBeGreaterThan(before.n);
          expect(p.used).toBe(points[p.n - 1]?.used);
        });
      }),
    );
  });

  it('joins no contexts if the budget has a first and a last point for each', () => {
    fc.assert(
      fc.property(sessions, (points) => {
        const thinned = downsample(points, 100);
        let from = 0;
        for (const p of thinned) {
          const covered = points.slice(from, from + p.turns);
          expect(new Set(covered.map((c) => c.context)).size).toBe(1);
          expect(new Set(covered.map((c) => c.used === null)).size).toBe(1);
          from += p.turns;
        }
        for (const context of new Set(points.map((p) => p.context))) {
          const own = points.filter((p) => p.context === context);
          expect(thinned).toContainEqual(own[0]);
          expect(thinned.find((p) => p.n === own.at(-1)?.n)).toBeDefined();
        }
      }),
    );
  });
});
