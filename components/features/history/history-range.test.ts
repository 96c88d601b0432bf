import { describe, expect, it } from 'vitest';
import { RANGE_MS, RANGE_NAMES } from '../../format/range-names';
import { movedRange, refreshPeriodMs, shownRange } from './history-range';

const NOW = Date.UTC(2026, 9, 20, 12, 0, 7);
const HOUR = 3_600_000;

describe('the shown range', () => {
  it.each(RANGE_NAMES)('of %s holds now, and asks the same until its next look', (range) => {
    const choice = { range, from: null, to: null };
    const shown = shownRange(choice, NOW);
    expect(shown.to - shown.from).toBe(RANGE_MS[range]);
    expect(shown.to).toBeGreaterThan(NOW);
    const period = refreshPeriodMs(RANGE_MS[range]);
    expect(shown.to - NOW).toBeLessThanOrEqual(period);
    expect(shownRange(choice, shown.to - 1)).toEqual(shown);
    expect(shownRange(choice, shown.to).to).toBe(shown.to + period);
  });

  it('is the fixed one where there is one, and the usual one where that makes no sense', () => {
    const from = new Date(NOW - 2 * HOUR);
    const to = new Date(NOW - HOUR);
    expect(shownRange({ range: '7d', from, to }, NOW)).toEqual({
      from: from.getTime(),
      to: to.getTime(),
      isLive: false,
    });
    for (const [begin, end] of [
      [to, from],
      [from, from],
      [from, null],
    ] as const) {
      expect(shownRange({ range: '1h', from: begin, to: end }, NOW).isLive).toBe(true);
    }
  });

  it('moves by half of itself, widens around its middle, and never leaves the past', () => {
    const range = { from: NOW - 4 * HOUR, to: NOW - 2 * HOUR, isLive: false };
    const moved = (move: 'earlier' | 'later' | 'wider') => {
      const { from, to } = movedRange(range, move, NOW);
      return [(from.getTime() - NOW) / HOUR, (to.getTime() - NOW) / HOUR];
    };
    expect(moved('earlier')).toEqual([-5, -3]);
    expect(moved('later')).toEqual([-3, -1]);
    expect(moved('wider')).toEqual([-5, -1]);
    const newest = movedRange({ from: NOW - HOUR, to: NOW, isLive: true }, 'later', NOW);
    expect(newest.to.getTime()).toBe(NOW);
  });
});
