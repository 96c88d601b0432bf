import { describe, expect, it } from 'vitest';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import { madeId, makeSession } from '../../format/testing/make-session';
import { axisMarks, nearestTick, prepareBarcode, pressureX, type Tick, tickPaths } from './prepare-barcode';

const WIDTH = 1100;
const prepare = (sessions: ReturnType<typeof makeSession>[], part = {}) =>
  prepareBarcode({ sessions, matching: null, next: [], width: WIDTH, ...part });
/** Enough calm sessions for a density. */
const calm = (used: (index: number) => number) =>
  Array.from({ length: 500 }, (_, index) => makeSession(index, { used: used(index) }));

describe('the pressure axis', () => {
  it('runs from 0 to 110 % and draws higher pressures at the end', () => {
    expect([0, 0.5, 1, 7.19].map((pressure) => Math.round(pressureX(pressure, WIDTH)))).toEqual([
      0,
      500,
      1000,
      WIDTH,
    ]);
  });

  it('names bounds where the words fit', () => {
    const labels = (bounds: Parameters<typeof axisMarks>[0]) =>
      axisMarks(bounds).map(({ at, word }) => `${at} ${word}`.trim());
    const own = { elevated: 0.3, warning: 0.6, critical: 0.65, redlined: 1.05 };
    expect(labels(DEFAULT_THRESHOLDS)).toEqual([
      '0 nominal',
      '50 elevated',
      '75 warning',
      '85 critical',
      '100 limit',
    ]);
    expect(labels(own)).toEqual(['0 nominal', '30 elevated', '60', '65 critical', '100', '105 over limit']);
    expect(labels({ ...own, redlined: 1.2 })).not.toContain('120 over limit');
  });
});

describe('the barcode', () => {
  it('draws a tick per live or idle session, and counts sessions without a reading', () => {
    const code = prepare([
      makeSession(1),
      makeSession(2, { liveness: 'idle' }),
      makeSession(3, { liveness: 'ended' }),
      makeSession(4, { used: null }),
      makeSession(5, { state: 'untracked', pressure: 0, used: null }),
    ]);
    expect(code.ticks).toMatchObject([
      { id: madeId(1), idle: false },
      { id: madeId(2), idle: true },
    ]);
    expect(code.unread).toEqual({ unknown: 1, untracked: 1 });
  });

  it('paints the worst state last, and filtered-out sessions first', () => {
    const all = [makeSession(1, { used: 210_000 }), makeSession(2, { used: 180_000 }), makeSession(3)];
    expect(prepare(all).ticks.map(({ state }) => state)).toEqual(['elevated', 'critical', 'redlined']);
    const code = prepare(all, { matching: new Set([madeId(2), madeId(3)]) });
    expect(code.ticks.map(({ id }) => id)).toEqual([madeId(1), madeId(3), madeId(2)]);
    expect(code.over).toEqual([]);
  });

  it('draws calm sessions as a density from 500 sessions on, except the next to go', () => {
    const some = calm((index) => 40_000 + (index % 10) * 4_000);
    expect(prepare(some.slice(1)).bins).toEqual([]);
    const code = prepare([...some, makeSession(900, { used: 178_000 })], { next: [madeId(7)] });
    expect(code.ticks.map(({ id }) => id)).toEqual([madeId(7), madeId(900)]);
    expect(code.bins).toHaveLength(10);
    expect(Math.max(...code.bins.map(({ share }) => share))).toBe(1);
  });

  it('keeps the density of filtered-out sessions on the same scale', () => {
    const some = calm((index) => (index < 100 ? 40_000 : 80_000));
    const { bins, shadows } = prepare(some, { matching: new Set(some.slice(0, 100).map(({ id }) => id)) });
    expect([bins.map(({ share }) => share), shadows.map(({ share }) => share)]).toEqual([[0.25], [1]]);
    expect(shadows[0]?.x).toBeGreaterThan(bins[0]?.x ?? 0);
  });

  it('joins two or more labels that would touch, and keeps them within the axis', () => {
    const at = (n: number, px: number) => makeSession(n, { used: Math.round((px / WIDTH) * 220_000) });
    const ranksOf = (places: number[], next: number[]) =>
      prepare(
        places.map((px, index) => at(index + 1, px)),
        { next: next.map(madeId) },
      ).ranks;
    const [alone, both] = ranksOf([880, 880.1, 500], [1, 2, 3]);
    expect([alone?.ranks, both?.ranks]).toEqual([[3], [1, 2]]);
    expect(alone?.ticks).toEqual([alone?.x]);
    expect(both?.x).toBeCloseTo(880, 0);
    expect(ranksOf([500, 508, 517], [3, 2, 1])).toMatchObject([{ ranks: [3, 2, 1] }]);
    const [edge] = ranksOf([2_500, 2_500, 2_500], [1, 2, 3]);
    expect(edge).toMatchObject({ ranks: [1, 2, 3], ticks: [WIDTH] });
    expect(edge?.x).toBeLessThanOrEqual(WIDTH);
  });

  it('labels over-limit ticks if the labels do not touch', () => {
    const near = [1, 2].map((n) => makeSession(n, { used: 206_000 + n, title: 'Nightly dependency sweep' }));
    expect(prepare(near)).toMatchObject({ over: [{ id: madeId(2) }], overUnnamed: 1 });
  });

  it('reports whether a shown pressure is above the axis', () => {
    const at = (used: number, part = {}) => prepare([makeSession(1, { used })], part).beyond;
    expect([at(220_000), at(240_000), at(240_000, { matching: new Set() })]).toEqual([false, true, false]);
  });
});

describe('many sessions near their limit', () => {
  const hot = Array.from({ length: 200 }, (_, index) =>
    makeSession(1_000 + index, { used: 150_000 + index * 200, liveness: index % 2 === 0 ? 'live' : 'idle' }),
  );
  const over = [0, 1].map((index) => makeSession(2_000 + index, { used: 201_000 + index }));
  const at = (width: number, next: readonly string[] = []) =>
    prepare([...calm((index) => 20_000 + index * 100), ...hot, ...over], { width, next });

  it('share ticks on a narrow axis, except over-limit sessions and the next to go', () => {
    const { ticks, crowded } = at(328);
    expect(crowded).toBe(true);
    expect(ticks.length).toBeLessThan(30);
    expect(ticks.find(({ state }) => state === 'critical')?.idle, 'an active one first').toBe(false);
    const next = hot.slice(10, 13).map(({ id }) => id);
    const ids = at(328, next).ticks.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([...next, ...over.map(({ id }) => id)]));
  });

  it('have one tick each if there is room', () => {
    const { ticks, crowded } = at(3_800);
    expect([ticks.length, crowded]).toEqual([202, false]);
  });
});

describe('the drawn ticks', () => {
  const tick = (x: number, fields: Partial<Tick> = {}): Tick => ({
    id: `at-${x}`,
    title: '',
    state: 'warning',
    x,
    pressure: 0.8,
    idle: false,
    faded: false,
    ...fields,
  });

  it('are one path per state in painting order, with at most one tick per half pixel', () => {
    const ticks = [
      tick(3, { faded: true }),
      tick(10),
      tick(10.1),
      tick(10.4),
      tick(30, { state: 'critical' }),
    ];
    expect(tickPaths(ticks)).toEqual([
      { state: 'warning', faded: true, d: 'M3 0V44' },
      { state: 'warning', faded: false, d: 'M10 0V44M10.5 0V44' },
      { state: 'critical', faded: false, d: 'M30 0V44' },
    ]);
  });

  it.each([
    [{}, 'M1 -9V44'],
    [{ faded: true }, 'M1 0V44'],
    [{ idle: true }, 'M1 26.4V44'],
  ])('are higher over the limit, unless filtered out or idle: %j', (fields, d) => {
    expect(tickPaths([tick(1, { state: 'redlined', ...fields })])[0]?.d).toBe(d);
  });

  it('are at most two paths per state for ten thousand sessions', () => {
    const sessions = Array.from({ length: 10_000 }, (_, index) =>
      makeSession(index, { used: (index * 37) % 220_000, liveness: index % 5 === 0 ? 'idle' : 'live' }),
    );
    const paths = tickPaths(prepare(sessions, { width: 1392 }).ticks);
    expect(paths.length).toBeLessThanOrEqual(14);
    expect(paths.reduce((length, { d }) => length + d.length, 0)).toBeLessThan(40_000);
  });

  it('are found by a nearby pointer, the topmost tick first', () => {
    const ticks = [tick(500), tick(900), tick(900, { id: 'top' })];
    expect([503, 900, 700].map((x) => nearestTick(ticks, x)?.id)).toEqual(['at-500', 'top', undefined]);
  });
});
