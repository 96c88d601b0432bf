import { describe, expect, it } from 'vitest';
import { eventOf } from '@/core/events/event.fixture';
import { figuresOf } from '@/core/series/figures-of';
import { contextOf, pointOf } from '../../charts/series-fixture';
import { sessionOf } from '../../format/testing/make-session';
import { type NamedSide, pointAt, prepareCompare, prepareFigures, stepsOf } from './prepare-compare';
import { pointsOf, type SideName } from './side-data';

const MINUTE = 60_000;
const AT = Date.parse('2026-03-01T12:00:00Z');

interface SideOf {
  used: number[];
  limit?: number | null;
  /** A compaction after this many turns. */
  compactedAfter?: number;
  context?: number | null;
}

/** A session with turns two minutes apart. */
function sideOf(
  name: SideName,
  { used, limit = 200_000, compactedAfter, context = null }: SideOf,
): NamedSide {
  const cut = compactedAfter ?? used.length;
  const all = used.map((tokens, index) =>
    pointOf({ n: index + 1, t: AT + index * 2 * MINUTE, used: tokens, limit, context: index < cut ? 0 : 1 }),
  );
  const endedAt = new Date(AT + (cut * 2 - 1) * MINUTE).toISOString();
  const totals = (turns: number) => ({
    input: turns * 100,
    output: turns * 10,
    cacheRead: turns * 1_000,
    cacheCreation: turns * 50,
    calls: turns,
  });
  const first = contextOf({ index: 0, turnCount: cut, totals: totals(cut), limit });
  const isCompacted = compactedAfter !== undefined;
  const after = used.length - cut;
  const closed = { ...first, endedAt, endedBy: 'compaction' as const, lastOccupancy: used[cut - 1] ?? null };
  const contexts = isCompacted
    ? [closed, contextOf({ index: 1, turnCount: after, totals: totals(after), limit })]
    : [first];
  const detail = { state: 'confirmed', preTokens: used[cut - 1], firstReading: used[cut] } as const;
  const id = `${name}-compaction`;
  const compaction = eventOf({ id, kind: 'compaction', at: endedAt, turn: cut, detail });
  const events = isCompacted ? [compaction] : [];
  const session = sessionOf({
    limit,
    totals: { main: totals(used.length), side: totals(0), all: totals(1) },
  });
  const points = pointsOf(all, context);
  const figures = figuresOf({ session, contexts, points, context });
  if (figures === null) throw new Error('there is no such context');
  return { name, data: { session, context, contexts, events, points, figures } };
}

const prepare = (
  sides: NamedSide[],
  by: 'turns' | 'minutes' = 'turns',
  unit: 'percent' | 'tokens' = 'percent',
) => prepareCompare(sides, { by, unit, width: 1_200 });
const drawn = ({ points }: { points: readonly { x: number; y: number | null }[] }) =>
  points.map(({ x, y }) => `${x},${y}`).join(' ');

describe('two sides on one sheet', () => {
  const a = { used: [20_000, 60_000, 100_000] };
  const b = { used: [50_000, 160_000, 40_000, 80_000], compactedAfter: 2 };

  it('share the pressure axis, and start at their own first turns', () => {
    const { traces, valueAxis } = prepare([sideOf('a', a), sideOf('b', b)]);
    expect(valueAxis.domain).toEqual([0, 110]);
    expect(traces.map(drawn)).toEqual(['1,10 2,30 3,50', '1,25 2,80 3,20 4,40']);
  });

  it('can also be aligned by minutes since the first turn', () => {
    const { traces, xDomain } = prepare([sideOf('a', a), sideOf('b', b)], 'minutes');
    expect(traces[1]?.points.map(({ x }) => x)).toEqual([0, 2, 4, 6]);
    expect(traces[1]?.boundaries.map(({ x }) => x)).toEqual([3]);
    expect(xDomain[1]).toBeCloseTo(6.06);
  });

  it('show the boundaries of each side, with the drop in the axis’s unit', () => {
    const { traces } = prepare([sideOf('a', a), sideOf('b', b)]);
    expect(traces[0]?.boundaries).toEqual([]);
    expect(traces[1]?.boundaries).toMatchObject([{ x: 2.5, from: 80, to: 20 }]);
  });

  it('start a context at its own first turn, and end it at its boundary', () => {
    const { traces } = prepare([sideOf('a', { ...b, context: 0 }), sideOf('b', { ...b, context: 1 })]);
    expect(traces.map(drawn)).toEqual(['1,25 2,80', '1,20 2,40']);
    expect(traces[0]?.boundaries).toMatchObject([{ x: 2.5, from: 80, to: null }]);
    expect(traces[1]?.boundaries).toEqual([]);
  });

  it('use tokens if one limit is unknown, draw the known limit, and label a shared limit once', () => {
    const full = sideOf('a', { used: [210_000] });
    const sheet = prepare([full, sideOf('b', { used: [5_000], limit: null })]);
    expect(sheet.unit).toBe('tokens');
    expect(sheet.traces[0]?.points[0]?.y).toBe(210_000);
    expect(sheet.limits).toEqual([{ y: 200_000, text: 'limit of A' }]);
    const shared = prepare([full, sideOf('b', { used: [5_000] })], 'turns', 'tokens');
    expect(shared.limits).toEqual([{ y: 200_000, text: 'limit' }]);
  });

  it('have a value at each position up to their ends', () => {
    const { traces } = prepare([sideOf('a', a), sideOf('b', b)]);
    const usedAt = (x: number) => traces.map((trace) => pointAt(trace, x)?.used);
    expect(usedAt(0.5)).toEqual([undefined, undefined]);
    expect(usedAt(2.4)).toEqual([60_000, 160_000]);
    expect(usedAt(4)).toEqual([undefined, 80_000]);
    expect(stepsOf(traces)).toEqual([1, 2, 3, 4]);
  });
});

describe('the figures of two sides', () => {
  const figures = (left: SideOf, right: SideOf) =>
    prepareFigures(sideOf('a', left).data.figures, sideOf('b', right).data.figures);
  const rows = (left: SideOf, right: SideOf) => {
    const all = figures(left, right);
    return (name: string) => {
      const row = all.find((one) => one.name.replaceAll('\u00a0', ' ') === name);
      return row && [row.a, row.b, row.difference].map((text) => text?.replaceAll(/[\u00a0\u202f]/g, ' '));
    };
  };

  it('are listed side by side with their difference', () => {
    const row = rows({ used: [20_000, 100_000] }, { used: [50_000, 170_000, 30_000], compactedAfter: 2 });
    expect(row('turns')).toEqual(['2', '3', '+1']);
    expect(row('from first to last turn')).toEqual(['2 min', '4 min', '+2 min']);
    expect(row('peak')).toEqual(['100 000', '170 000', '+70.0 k']);
    expect(row('peak, share of the limit')).toEqual(['50 %', '85 %', '+35.0 points']);
    expect(row('limit')).toEqual(['200 000', '200 000', 'equal']);
    expect(row('compactions')).toEqual(['0', '1', '+1']);
    expect(row('input')).toEqual(['200', '300', '+100']);
    expect(row('new tokens per turn')).toEqual(['160', '160', 'equal']);
  });

  it('have bars relative to the larger value of the row, and no bar if unknown', () => {
    const shares = (left: SideOf, right: SideOf, wanted: string) =>
      figures(left, right).find(({ name }) => name === wanted)?.shares;
    expect(shares({ used: [20_000] }, { used: [10_000, 80_000] }, 'peak')).toEqual({ a: 0.25, b: 1 });
    expect(shares({ used: [20_000] }, { used: [] }, 'peak')).toEqual({ a: 1, b: null });
    expect(shares({ used: [20_000] }, { used: [20_000] }, 'restarts')).toEqual({ a: null, b: null });
  });

  it('include turns and time until each share of the limit, from the first turn', () => {
    const row = rows({ used: [20_000, 100_000] }, { used: [110_000, 170_000] });
    expect(row('to 50 %, turns')).toEqual(['2 turns', '1 turn', '−1']);
    expect(row('to 50 %, time')).toEqual(['2 min', '0 s', '−2 min']);
    expect(row('to 80 %, turns')).toEqual(['never', '2 turns', undefined]);
  });

  it('name the boundary that ended a context', () => {
    const used = [20_000, 100_000, 30_000];
    const row = rows({ used, compactedAfter: 2, context: 0 }, { used, compactedAfter: 2, context: 1 });
    expect(row('turns')).toEqual(['2', '1', '−1']);
    expect(row('compactions')).toEqual(['at its end', 'none', undefined]);
    expect(row('to 50 %, turns')).toEqual(['2 turns', 'never', undefined]);
  });

  it('show no number for unknown values', () => {
    const row = rows({ used: [20_000], limit: null }, { used: [] });
    expect(row('peak, share of the limit')).toEqual(['unknown', 'unknown', undefined]);
    expect(row('peak')).toEqual(['20 000', 'unknown', undefined]);
    expect(row('to 50 %, turns')).toEqual(['unknown', 'never', undefined]);
    expect(row('cache-read share')?.[1]).toBe('unknown');
  });
});
