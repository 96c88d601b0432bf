import { describe, expect, it } from 'vitest';
import { type AssumedUnevenness, addToTally, emptyTally, meanOf, type TallyRule, unevenness } from './tally';

const RULE: TallyRule = { typical: 1_500, leastBound: 0, parts: 1, halfLife: 20 };
const ASSUMED: AssumedUnevenness = [1, 1];

function tallyOf(values: readonly number[], rule = RULE) {
  const tally = emptyTally();
  for (const value of values) addToTally(tally, value, rule);
  return tally;
}

const alike = (count: number, value: number) => Array.from({ length: count }, () => value);

describe('a tally', () => {
  it('is the mean of equal values, with an unevenness that falls with their number', () => {
    expect(meanOf(tallyOf(alike(10, 2_000)))).toBeCloseTo(2_000, 0);
    expect(unevenness(tallyOf(alike(3, 2_000)), ASSUMED)).toBeGreaterThan(0.2);
    expect(unevenness(tallyOf(alike(60, 2_000)), ASSUMED)).toBeLessThan(0.05);
  });

  it('counts an outlier only up to a bound', () => {
    const calm = meanOf(tallyOf(alike(20, 2_000)));
    const once = meanOf(tallyOf([...alike(20, 2_000), 900_000]));
    expect(once / calm).toBeLessThan(1.2);
    const back = meanOf(tallyOf([...alike(20, 2_000), 900_000, ...alike(10, 2_000)]));
    expect(back / calm).toBeLessThan(1.15);
  });

  it('follows a large value that repeats', () => {
    const changed = meanOf(tallyOf([...alike(20, 2_000), ...alike(30, 40_000)]));
    expect(changed).toBeGreaterThan(20_000);
  });

  it('gives old values less weight, by the half-life of its rule', () => {
    const values = [...alike(100, 500), ...alike(120, 5_000)];
    expect(meanOf(tallyOf(values))).toBeGreaterThan(4_300);
    expect(meanOf(tallyOf(values, { ...RULE, halfLife: 150 }))).toBeLessThan(3_700);
  });

  it('has an unevenness near the assumed one until there are more values', () => {
    const unevenAfter = (count: number) => unevenness(tallyOf(alike(count, 2_000)), [20, 4]);
    expect(unevenAfter(6)).toBeGreaterThan(3);
    expect(unevenAfter(60)).toBeLessThan(2);
  });

  it('rounds its figures, so that they are stored in few digits', () => {
    const tally = tallyOf([1_234.5678, 1_111.1111, 987.6543]);
    expect(JSON.stringify(tally).length).toBeLessThan(40);
  });

  it('has the maximum unevenness without growth', () => {
    expect(unevenness(emptyTally(), ASSUMED)).toBe(9);
    expect(unevenness(tallyOf([-5, -5, -5]), ASSUMED)).toBe(9);
  });
});
