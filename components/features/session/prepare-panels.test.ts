import { describe, expect, it } from 'vitest';
import { chartScale } from '../../charts/chart-scale';
import { chartLayout } from '../../charts/plot-frame';
import { pointOf } from '../../charts/series-fixture';
import { sessionOf } from '../../format/testing/make-session';
import { panelAmounts, preparePanels } from './prepare-panels';

type Points = ReturnType<typeof pointOf>[];

const panelsOf = (points: Points, session = sessionOf()) =>
  preparePanels({
    session,
    tokens: true,
    points,
    scale: chartScale('turns', 'percent', null),
    layout: chartLayout(1_392),
    width: 1_392,
    xDomain: [0, 10],
    top: 400,
  });
const cacheOf = (points: Points) => {
  const [panel] = panelsOf(points);
  const [up, down] = panel?.sides ?? [];
  if (!panel || !up || !down) throw new Error('a panel is missing');
  return { panel, up, down };
};

const drawn = (points: readonly { x: number; y: number }[]) =>
  points.map(({ x, y }) => `${x},${y}`).join(' ');

describe('a panel under the barogram', () => {
  it('draws a stick for each turn with tokens, and the mean for a bucket', () => {
    const { panel, up, down } = cacheOf([
      pointOf({ n: 1, cacheRead: 100, cacheCreation: 40 }),
      pointOf({ n: 2, cacheRead: 0 }),
      pointOf({ n: 6, cacheRead: 600, turns: 4 }),
    ]);
    expect(drawn(up.sticks)).toBe('1,100 6,150');
    expect(drawn(down.sticks)).toBe('1,40');
    expect(panel.averaged).toBe(true);
  });

  it('draws both sides on one scale, and keeps room for a small side', () => {
    const shareBelow = (cacheRead: number, cacheCreation: number) => {
      const { frame } = cacheOf([pointOf({ n: 1, cacheRead, cacheCreation })]).panel;
      return (frame.bottom - frame.y(0)) / (frame.bottom - frame.top);
    };
    expect(shareBelow(900, 600)).toBeCloseTo(0.4, 5);
    expect(shareBelow(100_000, 0)).toBeGreaterThan(0.15);
  });

  it('labels a round value at or below the peak', () => {
    const tick = (cacheRead: number) => cacheOf([pointOf({ n: 1, cacheRead })]).up.tick;
    expect([tick(157_000), tick(99), tick(0)]).toEqual([150_000, 75, 0]);
  });

  it('is a line of text if the session has nothing to draw', () => {
    const { totals } = sessionOf();
    const main = { ...totals.main, cacheRead: 0, cacheCreation: 0 };
    const empty = (session = sessionOf()) => panelsOf([], session).map(({ isEmpty }) => isEmpty);
    expect(empty()).toEqual([false, false]);
    expect(empty(sessionOf({ totals: { ...totals, main } }))).toEqual([true, false]);
  });
});

describe('the words of a panel', () => {
  const turn = { cacheRead: 1_000, cacheCreation: 10, input: 5, output: 7 };
  const points = [2, 3].map((n) =>
    pointOf({ n, ...turn, totalCacheRead: n * 1_000, totalCacheCreation: n * 10 }),
  );
  const [cache, tokens] = panelsOf(points);

  it.each([
    ['zoomed', cache, false, [2000, 20]],
    ['zoomed', tokens, false, [10, 14]],
    ['whole', cache, true, [3000, 30]],
    ['whole', tokens, true, [100, 200]],
  ])('give the sums of a %s sheet', (_, panel, isWhole, amounts) => {
    if (panel === undefined) throw new Error('a panel is missing');
    expect(panelAmounts(panel, points, sessionOf(), isWhole)).toEqual(amounts);
  });
});
