import { describe, expect, it } from 'vitest';
import { MADE_AT, makeSession } from '../../format/testing/make-session';
import { chartFloor, gridShares, wholeHeight } from './chart-floor';
import { tokensY } from './prepare-trace';

const SINCE = MADE_AT - 12 * 60_000;
const at = (minutesAgo: number) => MADE_AT / 1_000 - minutesAgo * 60;
const high = makeSession(1, {
  used: 170_000,
  trace: [
    [at(20), 30_000, 0],
    [at(14), 110_000, 0],
    [at(3), 170_000, 0],
  ],
});

describe('the foot of the small charts', () => {
  it('is half of the limit where nothing they show lies below it', () => {
    expect(chartFloor([high], SINCE)).toBe(0.5);
  });

  it('is 0 for all as soon as one shows less, also as the value at its left edge', () => {
    const low = makeSession(2, { used: 160_000, trace: [[at(20), 60_000, 0]] });
    expect(chartFloor([high, low], SINCE)).toBe(0);
    const compacted = makeSession(3, { used: 150_000, trace: [[at(6), 41_000, 1]] });
    expect(chartFloor([compacted], SINCE)).toBe(0);
    expect(chartFloor([makeSession(4, { used: 60_000 })], SINCE)).toBe(0);
    expect(chartFloor([makeSession(5, { limit: null })], SINCE)).toBe(0);
  });

  it('keeps the top of the axis where it was, and has the floor at the foot', () => {
    const whole = wholeHeight(120, 0.5, 1.1);
    expect(tokensY(110, 100, whole)).toBe(0);
    expect(tokensY(50, 100, whole)).toBeCloseTo(120, 1);
    expect(wholeHeight(120, 0, 1.1)).toBe(120);
    expect(gridShares(0.5)[0]).toBe(0.5);
    expect(gridShares(0)[0]).toBe(0);
  });
});
