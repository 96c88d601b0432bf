import { describe, expect, it } from 'vitest';
import { goToMoment } from './sheet-controls';

const MINUTE = 60_000;
const times = [20_000, 60 * MINUTE, 100 * MINUTE, 300 * MINUTE];
const go = (minute: number, spanMs = 0) => {
  const change = goToMoment({ at: minute * MINUTE, spanMs }, times);
  if (change === null) return null;
  return [change.from, change.at, change.to].map((at) => (at === null ? null : at / MINUTE));
};

describe('the range around a moment', () => {
  it('shows five minutes on either side, and nearby turns before and after', () => {
    expect(go(70)).toEqual([59, 70, 101]);
    expect(go(60)).toEqual([55, 60, 101]);
    expect(go(60, MINUTE)).toEqual([55, 60, 101]);
    // The next turn is further than an hour away.
    expect(go(170)).toEqual([110, 170, 230]);
  });

  it('stays open at an end of the session', () => {
    expect(go(4)?.[0]).toBeNull();
    expect(go(298)?.[2]).toBeNull();
  });

  it('covers the whole named minute, so the minute of the session’s start is valid', () => {
    expect(go(0, MINUTE)?.[1]).toBeCloseTo(1 / 3);
    expect(go(0)).toBeNull();
  });

  it('is null outside the session', () => {
    expect(go(301)).toBeNull();
    expect(go(-10, MINUTE)).toBeNull();
  });
});
