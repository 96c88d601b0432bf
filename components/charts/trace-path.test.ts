import { describe, expect, it } from 'vitest';
import { cutTail, stepPath } from './trace-path';

describe('stepPath', () => {
  it('lets each value stand until the next turn and the last one to now', () => {
    expect(
      stepPath(
        [
          { x: 0, y: 10 },
          { x: 5, y: 4 },
          { x: 9, y: 4 },
        ],
        20,
      ),
    ).toBe('M0 10H5V4H9H20');
  });
  it('starts a new sub-path at a new context and leaves a gap where nothing is known', () => {
    const path = stepPath([
      { x: 0, y: 10 },
      { x: 4, y: null },
      { x: 8, y: 6 },
      { x: 9, y: 2, breakBefore: true },
    ]);
    expect(path).toBe('M0 10H4M8 6M9 2');
  });
  it('does not carry an unknown value to now', () => {
    expect(
      stepPath(
        [
          { x: 0, y: 1 },
          { x: 3, y: null },
        ],
        10,
      ),
    ).toBe('M0 1H3');
  });
});

describe('cutTail', () => {
  it('begins with the value that stood at the cut', () => {
    expect(
      cutTail(
        [
          { x: 0, y: 9 },
          { x: 10, y: 5 },
        ],
        4,
      ),
    ).toEqual([
      { x: 4, y: 9 },
      { x: 10, y: 5 },
    ]);
  });
  it('does not reach back over a new context', () => {
    expect(
      cutTail(
        [
          { x: 0, y: 9 },
          { x: 10, y: 5, breakBefore: true },
        ],
        4,
      ),
    ).toEqual([{ x: 10, y: 5, breakBefore: true }]);
  });
});
