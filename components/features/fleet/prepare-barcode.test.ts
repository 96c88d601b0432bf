import { describe, expect, it } from 'vitest';
import { madeId, makeSession } from '../../format/testing/make-session';
import { DENSITY_FROM, nearestTick, prepareBarcode, pressureX } from './prepare-barcode';

const WIDTH = 1100;
const prepare = (sessions: ReturnType<typeof makeSession>[], part = {}) =>
  prepareBarcode({ sessions, matching: null, next: [], width: WIDTH, ...part });

describe('the pressure axis', () => {
  it('runs from 0 to 110 % and keeps what is beyond at its end', () => {
    expect(pressureX(0, WIDTH)).toBe(0);
    expect(pressureX(0.5, WIDTH)).toBeCloseTo(500);
    expect(pressureX(1, WIDTH)).toBeCloseTo(1000);
    expect(pressureX(7.19, WIDTH)).toBe(WIDTH);
  });
});

describe('the barcode', () => {
  it('draws each live and idle session, and counts those without a reading', () => {
    const code = prepare([
      makeSession(1),
      makeSession(2, { liveness: 'idle' }),
      makeSession(3, { liveness: 'ended' }),
      makeSession(4, { used: null }),
      makeSession(5, { state: 'untracked', pressure: 0, used: null }),
    ]);
    expect(code.ticks.map(({ id, idle }) => [id, idle])).toEqual([
      [madeId(1), false],
      [madeId(2), true],
    ]);
    expect(code.unread).toEqual({ unknown: 1, untracked: 1 });
  });

  it('paints the worst state last, so that it lies on top', () => {
    const code = prepare([
      makeSession(1, { used: 210_000 }),
      makeSession(2, { used: 180_000 }),
      makeSession(3),
    ]);
    expect(code.ticks.map(({ state }) => state)).toEqual(['elevated', 'critical', 'redlined']);
  });

  it('becomes a density from 500 sessions on, with the outliers on top', () => {
    const calm = Array.from({ length: DENSITY_FROM }, (_, i) =>
      makeSession(i, { used: 40_000 + (i % 10) * 4_000 }),
    );
    expect(prepare(calm.slice(1)).bins).toEqual([]);
    const code = prepare([...calm, makeSession(900, { used: 178_000 })]);
    expect(code.ticks.map(({ id }) => id)).toEqual([madeId(900)]);
    expect(code.bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(DENSITY_FROM);
    expect(Math.max(...code.bins.map(({ share }) => share))).toBe(1);
    expect(code.bins.every(({ x, width }) => x % 4 === 0 && width === 4)).toBe(true);
  });

  it('keeps the shadow of what a filter leaves out, also as a density', () => {
    const calm = Array.from({ length: DENSITY_FROM }, (_, i) =>
      makeSession(i, { used: i < 100 ? 40_000 : 80_000 }),
    );
    const matching = new Set(calm.slice(0, 100).map(({ id }) => id));
    const { bins, shadows } = prepare(calm, { matching });
    expect(bins.map(({ count }) => count)).toEqual([100]);
    expect(shadows.map(({ count }) => count)).toEqual([400]);
    // On one scale: four times as many are four times as high.
    expect([bins[0]?.share, shadows[0]?.share]).toEqual([0.25, 1]);
    expect(shadows[0]?.x).toBeGreaterThan(bins[0]?.x ?? 0);
  });

  it('keeps a tick for the calm ones that go next', () => {
    const calm = Array.from({ length: DENSITY_FROM }, (_, i) => makeSession(i, { used: 40_000 }));
    expect(prepare(calm, { next: [madeId(7)] }).ticks.map(({ id }) => id)).toEqual([madeId(7)]);
  });

  it('has the numbers of neighbours stand together on one stem, within the axis', () => {
    const near = [1, 2, 3].map((n) => makeSession(n, { used: 176_000 + n }));
    const far = makeSession(4, { used: 100_000 });
    const { ranks } = prepare([...near, far], { next: [madeId(3), madeId(1), madeId(4)] });
    expect(ranks.map(({ ranks: numbers }) => numbers)).toEqual([[3], [1, 2]]);
    const [alone, both] = ranks;
    expect(alone?.ticks).toEqual([alone?.x]);
    expect(both?.ticks.toSorted((a, b) => a - b)).toEqual(both?.ticks);
    expect(both?.x).toBeCloseTo(((both?.ticks[0] ?? 0) + (both?.ticks[1] ?? 0)) / 2);
    const edge = prepare(
      [1, 2, 3].map((n) => makeSession(n, { used: 500_000 })),
      { next: [madeId(1), madeId(2), madeId(3)] },
    );
    expect(edge.ranks).toMatchObject([{ ranks: [1, 2, 3], ticks: [WIDTH] }]);
    expect(edge.ranks.every(({ x }) => x <= WIDTH)).toBe(true);
  });

  it('joins what would touch only because others were joined', () => {
    const at = (n: number, px: number) => makeSession(n, { used: Math.round((px / WIDTH) * 220_000) });
    const all = [at(1, 500), at(2, 508), at(3, 517)];
    const { ranks } = prepare(all, { next: [madeId(3), madeId(2), madeId(1)] });
    // The third is leftmost: no number covers another's tick.
    expect(ranks.map(({ ranks: numbers }) => numbers)).toEqual([[3, 2, 1]]);
  });

  it('names over-limit ticks as long as their titles do not touch', () => {
    const near = [1, 2].map((n) => makeSession(n, { used: 206_000 + n, title: 'Nightly dependency sweep' }));
    const code = prepare(near);
    expect(code.over.map(({ id }) => id)).toEqual([madeId(2)]);
    expect(code.overUnnamed).toBe(1);
  });

  it('says of what lies past the end of the axis that it does, and how far', () => {
    const at = (used: number) => prepare([makeSession(1, { used })]);
    expect(at(220_000)).toMatchObject({ beyond: false, over: [{ beyond: false }] });
    expect(at(240_000)).toMatchObject({ beyond: true, over: [{ beyond: true, pressure: 1.2 }] });
    expect(
      prepare([makeSession(1, { used: 240_000 }), makeSession(2)], { matching: new Set([madeId(2)]) }).beyond,
    ).toBe(false);
  });

  it('draws what a filter leaves out as shadows beneath the others', () => {
    const code = prepare([makeSession(1, { used: 206_000 }), makeSession(2)], {
      matching: new Set([madeId(2)]),
    });
    expect(code.ticks.map(({ id, faded }) => [id, faded])).toEqual([
      [madeId(1), true],
      [madeId(2), false],
    ]);
    expect(code.over).toEqual([]);
  });
});

describe('the tick under the pointer', () => {
  it('is the nearest one within reach, the one on top where two lie on each other', () => {
    const { ticks } = prepare([
      makeSession(1, { used: 100_000 }),
      makeSession(2, { used: 180_000 }),
      makeSession(3, { used: 180_000 }),
    ]);
    expect(nearestTick(ticks, 503)?.id).toBe(madeId(1));
    expect(nearestTick(ticks, 900)?.id).toBe(madeId(3));
    expect(nearestTick(ticks, 700)).toBeNull();
  });
});

describe('many sessions near their limit', () => {
  const calm = Array.from({ length: 600 }, (_, index) =>
    makeSession(index + 1, { used: 20_000 + index * 100 }),
  );
  const hot = Array.from({ length: 200 }, (_, index) =>
    makeSession(1_000 + index, { used: 150_000 + index * 200, liveness: index % 2 === 0 ? 'live' : 'idle' }),
  );
  const at = (width: number, next: readonly string[] = []) =>
    prepareBarcode({ sessions: [...calm, ...hot], matching: null, next, width });

  it('share places on a narrow axis, so that they do not run into a block', () => {
    const { ticks, crowded } = at(328);
    expect(crowded).toBe(true);
    expect(ticks.length).toBeLessThan(30);
    const first = ticks.find(({ state }) => state === 'critical');
    expect(first?.idle, 'one at work before one that rests').toBe(false);
  });

  it('stand each for itself where there is room', () => {
    const { ticks, crowded } = at(3_800);
    expect([ticks.length, crowded]).toEqual([200, false]);
  });

  it('keep the places of those that go next, and of those over their limit', () => {
    const over = [0, 1].map((index) => makeSession(2_000 + index, { used: 201_000 + index }));
    const named = hot.slice(10, 13).map(({ id }) => id);
    const { ticks } = prepareBarcode({
      sessions: [...calm, ...hot, ...over],
      matching: null,
      next: named,
      width: 328,
    });
    const ids = new Set(ticks.map(({ id }) => id));
    expect([...named, ...over.map(({ id }) => id)].filter((id) => !ids.has(id))).toEqual([]);
  });
});
