import { describe, expect, it } from 'vitest';
import { MADE_AT, makeSession } from '../../format/testing/make-session';
import { countBoundaries } from './count-boundaries';

const at = (minutesAgo: number) => MADE_AT / 1_000 - minutesAgo * 60;

describe('countBoundaries', () => {
  it('counts compactions and restarts since a time', () => {
    const a = makeSession(1, {
      trace: [
        [at(80), 40_000, 1],
        [at(50), 160_000, 0],
        [at(40), 30_000, 1],
        [at(20), 25_000, 2],
      ],
    });
    const b = makeSession(2, { trace: [[at(5), 20_000, 3]] });
    expect(countBoundaries([a, b], MADE_AT - 3_600_000)).toEqual({ compactions: 1, restarts: 1 });
    expect(countBoundaries([], 0)).toEqual({ compactions: 0, restarts: 0 });
  });

  it('counts a boundary with a late reading once, and consecutive boundaries separately', () => {
    const late = makeSession(1, {
      trace: [
        [at(9), null, 1],
        [at(8), 30_000, 1],
        [at(7), 0, 1],
        [at(6), 0, 1],
      ],
    });
    expect(countBoundaries([late], MADE_AT - 3_600_000)).toEqual({ compactions: 3, restarts: 0 });
  });
});
