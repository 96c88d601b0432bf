import { describe, expect, it } from 'vitest';
import { type PanelSide, preparePanel } from './prepare-panel';
import { pointOf } from './series-fixture';

const reads: PanelSide = { pick: (point) => point.cacheRead, total: (point) => point.totalCacheRead };
const writes: PanelSide = { pick: (point) => point.cacheCreation, total: () => null };
const panelOf = (points: ReturnType<typeof pointOf>[]) =>
  preparePanel(points, 'turns', { up: reads, down: writes });

describe('a panel under the barogram', () => {
  it('has a stick for each turn that spent something, and the mean of a bucket', () => {
    const panel = panelOf([
      pointOf({ n: 1, cacheRead: 100, cacheCreation: 40 }),
      pointOf({ n: 2, cacheRead: 0 }),
      pointOf({ n: 6, cacheRead: 600, turns: 4 }),
    ]);
    expect(panel.up.sticks).toEqual([
      { x: 1, y: 100 },
      { x: 6, y: 150 },
    ]);
    expect(panel.down.sticks).toEqual([{ x: 1, y: 40 }]);
    expect(panel.averaged).toBe(true);
  });

  it('draws both sides on one scale, so that lengths compare', () => {
    const { domain } = panelOf([pointOf({ n: 1, cacheRead: 900, cacheCreation: 600 })]);
    expect(domain[1] / -domain[0]).toBeCloseTo(1.5, 5);
    expect(domain[1]).toBeGreaterThan(900);
  });

  it('leaves a side that has next to nothing room for its line of sums', () => {
    const { domain } = panelOf([pointOf({ n: 1, cacheRead: 100_000, cacheCreation: 0 })]);
    expect(-domain[0] / (domain[1] - domain[0])).toBeGreaterThan(0.15);
    expect(panelOf([]).domain[1]).toBeGreaterThan(0);
  });

  it('lets the sum so far rise to the last value, across boundaries, and leaves out what is not known', () => {
    const panel = panelOf([
      pointOf({ n: 1, cacheRead: 100, totalCacheRead: 100 }),
      pointOf({ n: 2, cacheRead: 100, totalCacheRead: null }),
      pointOf({ n: 3, cacheRead: 200, totalCacheRead: 400, context: 1 }),
    ]);
    expect(panel.up.total).toEqual([
      { x: 1, y: 0.25 },
      { x: 3, y: 1 },
    ]);
    expect(panel.down.total).toEqual([]);
  });

  it('labels a round value at or below the peak', () => {
    const tick = (cacheRead: number) => panelOf([pointOf({ n: 1, cacheRead })]).up.tick;
    expect([tick(157_000), tick(99), tick(0)]).toEqual([150_000, 75, 0]);
  });
});
