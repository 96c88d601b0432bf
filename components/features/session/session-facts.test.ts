import { describe, expect, it } from 'vitest';
import { pointOf } from '../../charts/series-fixture';
import { turnsSincePassed } from './session-facts';

const trace = (...used: Array<number | null>) =>
  used.map((tokens, index) => pointOf({ n: index + 1, used: tokens }));

describe('turnsSincePassed', () => {
  it('counts from the turn that reached the line, and not from the highest', () => {
    expect(turnsSincePassed(trace(100, 150, 170, 180, 160), 150)).toBe(3);
    expect(turnsSincePassed(trace(100, 150), 150)).toBe(0);
  });

  it('is null below the line, without a reading, and without turns', () => {
    expect(turnsSincePassed(trace(160, 149), 150)).toBeNull();
    expect(turnsSincePassed(trace(160, null), 150)).toBeNull();
    expect(turnsSincePassed([], 150)).toBeNull();
  });

  it('counts the last stay past the line alone, and none of the context before', () => {
    expect(turnsSincePassed(trace(160, 170, 140, 155, 156), 150)).toBe(1);
    const before = pointOf({ n: 1, used: 190, context: 0 });
    const after = [2, 3].map((n) => pointOf({ n, used: 180, context: 1 }));
    expect(turnsSincePassed([before, ...after], 150)).toBe(1);
  });

  it('is null where a point of many turns hides which one it was', () => {
    expect(
      turnsSincePassed([pointOf({ n: 8, used: 160, turns: 8 }), pointOf({ n: 9, used: 170 })], 150),
    ).toBeNull();
    expect(
      turnsSincePassed([pointOf({ n: 8, used: 140, turns: 8 }), pointOf({ n: 9, used: 170 })], 150),
    ).toBe(0);
  });
});
