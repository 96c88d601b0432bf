import { describe, expect, it } from 'vitest';
import { fc } from '@/core/testing/property-runs';
import { solveLabels } from './labels';

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
  it('keeps all labels apart and inside the bounds, with room for second lines', () => {
    const wish = fc.record({
      y: fc.double({ min: -50, max: 500, noNaN: true }),
      below: fc.constantFrom(0, 13),
    });
    fc.assert(
      fc.property(fc.array(wish, { minLength: 1, maxLength: 8 }), (list) => {
        const named = list.map((one, index) => ({ id: String(index), ...one }));
        const placed = solveLabels(named, bounds);
        const places = named
          .map(({ id, below }) => ({ y: placed.get(id) ?? Number.NaN, below }))
          .sort((a, b) => a.y - b.y);
        places.forEach(({ y, below }, index) => {
          expect(y).toBeGreaterThanOrEqual(-1e-6);
          expect((places[index + 1]?.y ?? 1_000) - y).toBeGreaterThanOrEqual(14 + below - 1e-6);
        });
      }),
    );
  });
});
