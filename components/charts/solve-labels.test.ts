import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { solveLabels } from './solve-labels';

const bounds = { gap: 14, min: 0, max: 392 };

describe('solveLabels', () => {
  it('leaves labels that have room where their lines are', () => {
    const placed = solveLabels(
      [
        { id: 'a', y: 30 },
        { id: 'b', y: 80 },
      ],
      bounds,
    );
    expect([placed.get('a'), placed.get('b')]).toEqual([30, 80]);
  });
  it('moves two that touch apart by the same amount', () => {
    const placed = solveLabels(
      [
        { id: 'a', y: 100 },
        { id: 'b', y: 104 },
      ],
      bounds,
    );
    expect([placed.get('a'), placed.get('b')]).toEqual([95, 109]);
  });
  it('keeps room for a second line of text', () => {
    const placed = solveLabels(
      [
        { id: 'a', y: 100, below: 13 },
        { id: 'b', y: 110 },
      ],
      bounds,
    );
    expect((placed.get('b') ?? 0) - (placed.get('a') ?? 0)).toBeGreaterThanOrEqual(27);
  });
  it('never places two labels closer than 14 px, wherever their lines are', () => {
    const wishes = fc.array(
      fc.record({ y: fc.double({ min: -50, max: 500, noNaN: true }), below: fc.constantFrom(0, 13) }),
      {
        minLength: 1,
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(wishes, (list) => {
        const named = list.map((wish, index) => ({ id: String(index), ...wish }));
        const placed = solveLabels(named, bounds);
        const order = [...named].sort((a, b) => (placed.get(a.id) ?? 0) - (placed.get(b.id) ?? 0));
        expect(placed.size).toBe(list.length);
        for (let i = 1; i < order.length; i += 1) {
          const above = order[i - 1];
          const below = order[i];
          if (!above || !below) throw new Error('out of range');
          const distance = (placed.get(below.id) ?? 0) - (placed.get(above.id) ?? 0);
          expect(distance).toBeGreaterThanOrEqual(14 + above.below - 1e-6);
        }
        expect(Math.min(...placed.values())).toBeGreaterThanOrEqual(-1e-6);
      }),
    );
  });
});
