import { describe, expect, it } from 'vitest';
import { prepareCone } from './prepare-cone';

const base = { x: 100, y: 50, boundaryY: 20, lowX: 120, midX: 140, highX: 180, right: 200 };

describe('the cone of a forecast', () => {
  it('opens from the end of the trace to the range on the boundary', () => {
    expect(prepareCone(base)).toEqual({
      fill: 'M100 50L120 20L180 20Z',
      edges: 'M100 50L120 20M100 50L180 20',
      middle: 'M100 50L140 20',
      meets: { from: 120, to: 180 },
    });
  });

  it('cuts each ray at the right edge without changing its slope', () => {
    expect(prepareCone({ ...base, right: 160 })).toMatchObject({
      fill: 'M100 50L120 20L160 20L160 27.5Z',
      middle: 'M100 50L140 20',
      meets: { from: 120, to: 160 },
    });
  });

  it('does not reach the boundary if even the early end is beyond the edge', () => {
    expect(prepareCone({ ...base, right: 110 })).toEqual({
      fill: 'M100 50L110 35L110 46.25Z',
      edges: 'M100 50L110 35M100 50L110 46.25',
      middle: 'M100 50L110 42.5',
      meets: null,
    });
  });
});
