import { scaleLinear as reference } from 'victory-vendor/d3-scale';
import { expect, it } from 'vitest';
import { scaleLinear } from './linear-scale';

it.each([
  [0, 110],
  [0, 1],
  [1_769_178_000_000, 1_769_181_600_000],
  [0.5, 226.5],
])('maps and inverts %d to %d as d3-scale does', (from, to) => {
  const own = scaleLinear().domain([from, to]).range([392, 0]);
  const theirs = reference().domain([from, to]).range([392, 0]);
  for (const share of [-0.5, 0, 0.123, 0.5, 1, 1.7]) {
    const value = from + share * (to - from);
    expect(own(value)).toBeCloseTo(theirs(value), 6);
    expect(own.invert(share * 392)).toBeCloseTo(theirs.invert(share * 392), 2);
  }
});

it('maps an empty domain to the middle of the range, and makes independent copies', () => {
  const scale = scaleLinear().domain([5, 5]).range([0, 100]);
  const copy = scale.copy().domain([0, 10]);
  expect([scale(5), copy(5), scale.domain(), copy.range()]).toEqual([50, 50, [5, 5], [0, 100]]);
});
