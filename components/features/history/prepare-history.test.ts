import { describe, expect, it } from 'vitest';
import { TEST_NOON, testHistory, testPoint } from './history.fixture';
import { barsPath, nearestSlot, prepareHistory, stepRows } from './prepare-history';
import { describeSlot } from './slot-table';

const HOUR = 3_600_000;
const range = { from: TEST_NOON, to: TEST_NOON + 12 * HOUR };
/** All slots of the range are over, unless it is said otherwise. */
const sheetOf = (points: ReturnType<typeof testPoint>[], width = 1_392, now = range.to) =>
  prepareHistory({ history: testHistory(points), range, width, zone: 'UTC', now });

describe('the sheet of history', () => {
  it('has all panels on one time axis, one under the other', () => {
    const { tops, peak, boundaries, tokens, reads, share, height } = sheetOf([testPoint(0), testPoint(5)]);
    const frames = [peak.frame, boundaries.frame, tokens.frame, reads.frame, share.frame];
    expect(new Set(frames.map((frame) => frame.x(TEST_NOON + 6 * HOUR))).size).toBe(1);
    expect(Object.values(tops)).toEqual([...Object.values(tops)].sort((a, b) => a - b));
    expect(tops.share + share.frame.height).toBe(height);
  });

  it('has the pressure axis of every chart, which grows only when a peak does', () => {
    expect(sheetOf([testPoint(0, { peak: 0.4 })]).peak.axis.domain).toEqual([0, 110]);
    const { peak } = sheetOf([testPoint(0, { peak: 0.4 }), testPoint(3, { peak: 1.31 })]);
    expect(peak.axis.domain[1]).toBeGreaterThan(131);
    expect(peak.highest?.from).toBe(TEST_NOON + 3 * HOUR);
  });

  it('is drawn bare over the range that is asked for while nothing was read', () => {
    const bare = prepareHistory({ history: null, range, width: 1_000, zone: 'UTC', now: range.to });
    expect(bare.xDomain).toEqual([range.from, range.to]);
    expect(bare.slots).toEqual([]);
    expect(bare.peak.highest).toBeNull();
    expect(bare.xTicks.length).toBeGreaterThan(2);
  });
});

describe('the slot that is not over', () => {
  const points = [testPoint(0, { peak: 1.2 }), testPoint(1, { peak: 0.3, input: 10 })];
  const hour = (count: number) => TEST_NOON + count * HOUR;
  const { peak, partial, slots } = sheetOf(points, 1_392, hour(1.4));

  it('is known by the clock, and drawn apart from those that are', () => {
    expect(slots.map((slot) => slot.partial)).toEqual([false, true]);
    expect(partial?.from).toBe(hour(1));
    expect(peak.rows.at(-1)).toEqual({ x: hour(1), y: 120 });
    expect(peak.soFar).toEqual([
      { x: hour(1), y: 120 },
      { x: hour(1), y: 30 },
      { x: hour(2), y: 30 },
    ]);
  });

  it('says so where it is read', () => {
    expect(describeSlot(slots[1] as (typeof slots)[number], 'UTC')).toContain('13:00–14:00, so far: 1');
    expect(describeSlot(slots[0] as (typeof slots)[number], 'UTC')).not.toContain('so far');
  });

  it('is none once its end is past, and has no trace where nothing is known of it', () => {
    expect(sheetOf(points, 1_392, hour(2)).partial).toBeNull();
    expect(sheetOf([testPoint(1)], 1_392, hour(1.4)).peak.soFar).toEqual([]);
    expect(sheetOf([testPoint(1, { peak: 0.3 })], 1_392, hour(1.4)).peak.soFar[0]).toEqual({
      x: hour(1),
      y: 30,
    });
  });
});

describe('the trace', () => {
  const { slots } = sheetOf([
    testPoint(0, { peak: 0.2 }),
    testPoint(1, { peak: 0.4 }),
    testPoint(2),
    testPoint(6, { peak: 0.6 }),
  ]);
  const hour = (count: number) => TEST_NOON + count * HOUR;

  it('holds a value for its slot, and where nothing is known there is a gap, never a zero', () => {
    expect(stepRows(slots, ({ peak }) => peak)).toEqual([
      { x: hour(0), y: 0.2 },
      { x: hour(1), y: 0.4 },
      { x: hour(2), y: 0.4 },
      { x: hour(2), y: null },
      { x: hour(6), y: 0.6 },
      { x: hour(7), y: 0.6 },
    ]);
    expect(stepRows([], ({ peak }) => peak)).toEqual([]);
  });

  it('is read at the slot under the pointer, or at the nearest one', () => {
    expect(nearestSlot(slots, hour(1) + 1)).toBe(1);
    expect(nearestSlot(slots, hour(4))).toBe(2);
    expect(nearestSlot(slots, hour(11))).toBe(3);
    expect(nearestSlot([], hour(0))).toBe(-1);
  });

  it('is described in words', () => {
    const [slot] = sheetOf([
      testPoint(2, {
        turns: 12,
        peak: 0.91,
        input: 1_500,
        output: 20,
        cacheShare: 0.5,
        compactions: 1,
        thrashes: 1,
      }),
    ]).slots;
    expect(slot && describeSlot(slot, 'UTC').replace(/[\u00a0\u202f]/g, ' ')).toBe(
      '20 Oct, 14:00–15:00: 12 turns, peak pressure 91 %, 1 500 tokens in, 20 out, 50 % from the cache, 1 compaction, thrash',
    );
  });
});

describe('bars', () => {
  it('stand on zero, up or down, and slots without any have none', () => {
    const { slots, tokens } = sheetOf([
      testPoint(0, { input: 100, output: 50 }),
      testPoint(1),
      testPoint(2, { input: 60 }),
    ]);
    const up = barsPath(slots, tokens.frame, ({ input }) => [0, input]);
    const down = barsPath(slots, tokens.frame, ({ output }) => [0, -output]);
    expect(up.match(/M/g)).toHaveLength(2);
    expect(down.match(/M/g)).toHaveLength(1);
    const base = tokens.frame.y(0);
    const end = Number(/V([\d.]+)/.exec(down)?.[1]);
    expect(end).toBeGreaterThan(base);
    expect(Number(/V([\d.]+)/.exec(up)?.[1])).toBeLessThan(base);
  });
});
