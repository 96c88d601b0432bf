import { expect, it } from 'vitest';
import { cutTail, stepPath, type TracePixel } from './trace-path';

const at = (x: number, y: number | null, breakBefore?: true): TracePixel =>
  breakBefore ? { x, y, breakBefore } : { x, y };

it('draws each value until the next turn, and the last value until now', () => {
  expect(stepPath([at(0, 10), at(5, 4), at(9, 4)], 20)).toBe('M0 10H5V4H9H20');
});
it('starts a new sub-path at a new context and leaves a gap at unknown values', () => {
  expect(stepPath([at(0, 10), at(4, null), at(8, 6), at(9, 2, true)])).toBe('M0 10H4M8 6M9 2');
});
it('does not carry an unknown value to now', () => {
  expect(stepPath([at(0, 1), at(3, null)], 10)).toBe('M0 1H3');
});
it('starts the tail of a trace with the value at the cut', () => {
  expect(cutTail([at(0, 9), at(10, 5)], 4)).toEqual([at(4, 9), at(10, 5)]);
});
it('does not extend the tail of a trace into the previous context', () => {
  expect(cutTail([at(0, 9), at(10, 5, true)], 4)).toEqual([at(10, 5, true)]);
});
