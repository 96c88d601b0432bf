import { describe, expect, it } from 'vitest';
import { type Belief, expectedRate, growthBeliefs, withPast } from './expected-rate';
import { emptyGrowthRecord, recordTurn, unevenGrowth } from './growth-record';

function rateOf(values: readonly number[], beliefs: readonly Belief[] = growthBeliefs('snapshot')) {
  const record = emptyGrowthRecord();
  for (const tokens of values) recordTurn(record, 1, tokens);
  return expectedRate(record.growth, unevenGrowth(record), beliefs);
}

const alike = (count: number, value: number) => Array.from({ length: count }, () => value);
/** As uneven as real growth: nine turns of 1 000 and one of 21 000, with a mean of 3 000. */
const uneven = (count: number) => Array.from({ length: count }, (_, i) => (i % 10 === 5 ? 21_000 : 1_000));

describe('the expected rate', () => {
  it('is the observed growth after many equal turns', () => {
    const rate = rateOf(alike(40, 4_000));
    expect(rate?.perTurn).toBeGreaterThan(3_800);
    expect(rate?.variance).toBeLessThan(0.02);
  });

  it('depends on the prior after few uneven turns, and less with each further turn', () => {
    const few = rateOf(uneven(10))?.perTurn ?? 0;
    const many = rateOf(uneven(100))?.perTurn ?? 0;
    expect(few).toBeLessThan(1_500);
    expect(many).toBeGreaterThan(few);
    expect(many).toBeLessThan(3_000);
  });

  it('drops a prior that the growth contradicts', () => {
    const rate = rateOf(alike(12, 60_000));
    expect(rate?.perTurn).toBeGreaterThan(45_000);
  });

  it('depends less on the prior in a cumulative session', () => {
    const growth = [5_000, 9_000, 3_000, 8_000, 6_000];
    const call = rateOf(growth)?.perTurn ?? 0;
    const turn = rateOf(growth, growthBeliefs('cumulative'))?.perTurn ?? 0;
    expect(turn).toBeGreaterThan(call);
    expect(turn).toBeGreaterThan(4_500);
  });

  it('depends on the rate of earlier contexts', () => {
    const growth = uneven(6);
    const alone = rateOf(growth)?.perTurn ?? 0;
    const past = withPast(growthBeliefs('snapshot'), [2, Math.log(6_000)]);
    expect(rateOf(growth, past)?.perTurn).toBeGreaterThan(alone);
  });

  it('is missing for a context that does not grow', () => {
    expect(rateOf(alike(10, 0))).toBeNull();
    expect(rateOf(alike(10, -500))).toBeNull();
  });

  it('is finite for growth far from every prior', () => {
    const rate = rateOf(alike(40, 2 ** 50));
    expect(rate?.perTurn).toBeGreaterThan(2 ** 48);
    expect(Number.isFinite(rate?.variance)).toBe(true);
  });
});
