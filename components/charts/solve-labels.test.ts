import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { solveLabels } from './solve-labels';

const bounds = { gap: 14, min: 0, max: 392 };

describe('solveLabels', () => {
  it.each([
    ['leaves labels that have room where they are', [30, 80], 0, [30, 80]],
    ['moves two that touch apart by the same amount', [100, 104], 0, [95, 109]],
    ['keeps room for a second line of text', [100, 110], 13, [91.5, 118.5]],
  ])('%s', (_, [first = 0, second = 0], below, places) => {
    const wishes = [
      { id: 'a', y: first, below },
      { id: 'b', y: second },
    ];
    expect([...solveLabels(wishes, bounds).values()]).toEqual(places);
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
