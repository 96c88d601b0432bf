import { scaleLinear as reference, scalePoint as referencePoint } from 'victory-vendor/d3-scale';
import { describe, expect, it } from 'vitest';
import { scaleLinear, scalePoint } from './linear-scale';

const DOMAINS = [
  [0, 110],
  [0, 1],
  [1_769_178_000_000, 1_769_181_600_000],
  [0.5, 226.5],
] as const;

describe('the linear scale', () => {
  it('maps, inverts and ticks as d3-scale does', () => {
    for (const domain of DOMAINS) {
      const own = scaleLinear().domain(domain).range([392, 0]);
      const theirs = reference().domain(domain).range([392, 0]);
      for (const share of [-0.5, 0, 0.123, 0.5, 1, 1.7]) {
        const value = domain[0] + share * (domain[1] - domain[0]);
        expect(own(value)).toBeCloseTo(theirs(value), 6);
        expect(own.invert(share * 392)).toBeCloseTo(theirs.invert(share * 392), 2);
      }
      expect(own.ticks(5)).toHaveLength(theirs.ticks(5).length);
      for (const [index, tick] of own.ticks(5).entries())
        expect(tick).toBeCloseTo(theirs.ticks(5)[index] ?? 0, 6);
    }
  });

  it('returns its domain and range, and an independent copy', () => {
    const scale = scaleLinear().domain([2, 4]).range([10, 20]);
    const copy = scale.copy().domain([0, 1]);
    expect([scale.domain(), scale.range(), copy.domain(), copy.range()]).toEqual([
      [2, 4],
      [10, 20],
      [0, 1],
      [10, 20],
    ]);
    expect(scale(3)).toBe(15);
  });

  it('maps an empty domain to the middle of the range', () => {
    expect(scaleLinear().domain([5, 5]).range([0, 100])(5)).toBe(50);
  });

  it('spaces names evenly', () => {
    const own = scalePoint();
    own.domain(['a', 'b', 'c']);
    own.range([0, 90]);
    const theirs = referencePoint<string>().domain(['a', 'b', 'c']).range([0, 90]);
    expect(['a', 'b', 'c', 'd'].map(own)).toEqual(['a', 'b', 'c', 'd'].map((name) => theirs(name)));
    own.domain(['a']);
    expect(own('a')).toBe(45);
  });
});
