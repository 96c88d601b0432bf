import { describe, expect, it } from 'vitest';
import type { HistoryFigures } from '@/core/api/history';
import { describeSlot } from './history-figures';
import type { Slot } from './history-words';
import { barsPath, prepareHistory, traceOf } from './prepare-history';
import { testPoint as pointAt } from './testing/test-point';

const NOON = Date.UTC(2026, 9, 20, 12);
const hour = (count: number) => NOON + count * 3_600_000;
const testPoint = (count: number, figures: Partial<HistoryFigures> = {}) => pointAt(hour(count), figures);
const range = { from: NOON, to: hour(12) };
const sheetOf = (points: ReturnType<typeof testPoint>[], now = range.to) => {
  const [from = '', to = ''] = [range.from, range.to].map((at) => new Date(at).toISOString());
  const history = { from, to, zone: 'UTC', bucket: '1h' as const, by: null, total: testPoint(0), points };
  return prepareHistory({ history: { ...history, groups: [] }, ...range, width: 1_392, zone: 'UTC', now });
};
const peaksOf = (slots: readonly Slot[]) => traceOf(slots, ({ peak }) => peak);

describe('the sheet of history', () => {
  it('has the standard pressure axis, extended only for a higher peak', () => {
    expect(sheetOf([testPoint(0, { peak: 0.4 })]).panels.peak.yDomain).toEqual([0, 110]);
    const { panels, highest } = sheetOf([testPoint(0, { peak: 0.4 }), testPoint(3, { peak: 1.31 })]);
    expect(panels.peak.yDomain[1]).toBeGreaterThan(131);
    expect(highest?.from).toBe(hour(3));
  });

  it('is drawn empty over the requested range before the first answer', () => {
    const bare = prepareHistory({ history: null, ...range, width: 1_000, zone: 'UTC', now: range.to });
    expect(bare).toMatchObject({ xDomain: [range.from, range.to], slots: [], highest: undefined });
    expect(bare.xTicks.length).toBeGreaterThan(2);
  });
});

describe('the current bucket', () => {
  const points = [testPoint(0, { peak: 1.2 }), testPoint(1, { peak: 0.3, input: 10 })];
  const { partial, slots } = sheetOf(points, hour(1.4));

  it('contains the current time, and is drawn and described separately', () => {
    expect(slots.map((slot) => slot.partial)).toEqual([false, true]);
    expect(partial?.from).toBe(hour(1));
    const { rows, soFar } = peaksOf(slots);
    expect(rows.at(-1)).toEqual({ x: hour(1), y: 1.2 });
    expect(soFar).toEqual([
      { x: hour(1), y: 1.2 },
      { x: hour(1), y: 0.3 },
      { x: hour(2), y: 0.3 },
    ]);
    const [before, current] = slots.map((slot) => describeSlot(slot, 'UTC'));
    expect(current).toContain('13:00–14:00, so far: peak');
    expect(before).not.toContain('so far');
  });

  it('counts as complete when it ends, and has no trace if its value is unknown', () => {
    expect(sheetOf(points, hour(2)).partial).toBeUndefined();
    expect(peaksOf(sheetOf([testPoint(1)], hour(1.4)).slots).soFar).toEqual([]);
    const alone = sheetOf([testPoint(1, { peak: 0.3 })], hour(1.4));
    expect(peaksOf(alone.slots).soFar[0]).toEqual({ x: hour(1), y: 0.3 });
  });
});

it('draws each value across its bucket, and a gap instead of an unknown value', () => {
  const peaks = [testPoint(0, { peak: 0.2 }), testPoint(1, { peak: 0.4 }), testPoint(2)];
  expect(peaksOf(sheetOf([...peaks, testPoint(6, { peak: 0.6 })]).slots).rows).toEqual([
    { x: hour(0), y: 0.2 },
    { x: hour(1), y: 0.4 },
    { x: hour(2), y: 0.4 },
    { x: hour(2), y: null },
    { x: hour(6), y: 0.6 },
    { x: hour(7), y: 0.6 },
  ]);
});

it('describes a bucket in words', () => {
  const figures = { turns: 12, peak: 0.91, input: 1_500, output: 20, compactions: 1, thrashes: 1 };
  const words = sheetOf([testPoint(2, figures)]).slots.map((slot) => describeSlot(slot, 'UTC'));
  expect(words.join('').replace(/[\u00a0\u202f]/g, ' ')).toBe(
    '20 Oct, 14:00–15:00: peak 91 %, turns 12, restarts 0, compactions 1, thrash 1, input 1 500, output 20, cache reads 0, cache share unknown',
  );
});

it('draws bars from zero, up or down, and none for buckets without a value', () => {
  const { slots, panels } = sheetOf([testPoint(0, { input: 100, output: 50 }), testPoint(1, { input: 60 })]);
  const { frame } = panels.tokens;
  const up = barsPath(slots, frame, ({ input }) => [0, input]);
  const down = barsPath(slots, frame, ({ output }) => [0, -output]);
  expect([up, down].map((path) => path.match(/M/g)?.length)).toEqual([2, 1]);
  const endOf = (path: string) => Number(/V([\d.]+)/.exec(path)?.[1]);
  expect(endOf(down)).toBeGreaterThan(frame.y(0));
  expect(endOf(up)).toBeLessThan(frame.y(0));
});
