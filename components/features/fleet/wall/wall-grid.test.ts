import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CARD_SIZES, wallGrid, wallUnit } from './wall-grid';

const HD = { width: 1872, height: 892, unit: 1 };

describe('the grid of a wall', () => {
  it('gives few sessions large cards, side by side where that leaves nothing empty', () => {
    expect(wallGrid(1, 1, HD)).toEqual({ kind: 'large', columns: 1, rows: 1, cards: 1 });
    expect(wallGrid(3, 3, HD)).toEqual({ kind: 'large', columns: 3, rows: 1, cards: 3 });
    expect(wallGrid(12, 12, HD)).toEqual({ kind: 'large', columns: 4, rows: 3, cards: 12 });
  });

  it('gives many sessions compact cards, and keeps the last cell for how many more there are', () => {
    expect(wallGrid(13, 13, HD)).toMatchObject({ kind: 'compact', cards: 13 });
    expect(wallGrid(40, 40, HD)).toEqual({ kind: 'compact', columns: 5, rows: 6, cards: 29 });
    expect(wallGrid(1000, 1000, HD)).toEqual({ kind: 'compact', columns: 5, rows: 6, cards: 29 });
  });

  it('shows as many on a screen of twice the pixels, each twice as large', () => {
    const unit = wallUnit(3840, 2160);
    expect(unit).toBe(2);
    for (const count of [3, 12, 40, 1000]) {
      expect(wallGrid(count, count, { width: 3744, height: 1784, unit })).toEqual(wallGrid(count, count, HD));
    }
  });

  it('fills cells that are left with sessions that were not asked for, and one of them with the word of the rest', () => {
    expect(wallGrid(5, 6, HD)).toEqual({ kind: 'large', columns: 3, rows: 2, cards: 6 });
    expect(wallGrid(5, 90, HD)).toEqual({ kind: 'large', columns: 3, rows: 2, cards: 5 });
    expect(wallGrid(3, 90, HD), 'no cell is left').toEqual({ kind: 'large', columns: 3, rows: 1, cards: 3 });
  });

  it('has one column on a phone, and one card at least however small the room', () => {
    expect(wallGrid(40, 40, { width: 328, height: 600, unit: 1 })).toMatchObject({
      columns: 1,
      rows: 4,
      cards: 3,
    });
    expect(wallGrid(40, 40, { width: 300, height: 90, unit: 1 })).toMatchObject({
      columns: 1,
      rows: 1,
      cards: 1,
    });
    expect(wallUnit(360, 740)).toBe(1);
  });

  it('never makes a card smaller than it can be read, unless the room is smaller than one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2000 }),
        fc.integer({ min: 0, max: 2000 }),
        fc.integer({ min: 480, max: 5000 }),
        fc.integer({ min: 300, max: 3000 }),
        (wished, others, width, height) => {
          const space = { width, height, unit: wallUnit(width, height) };
          const grid = wallGrid(wished, wished + others, space);
          const card = CARD_SIZES[grid.kind];
          const scale = Math.min(width / grid.columns / card.width, height / grid.rows / card.height);
          const smallest = Math.min(
            1,
            width / (card.width * space.unit),
            height / (card.height * space.unit),
          );
          expect(scale / space.unit).toBeGreaterThanOrEqual(smallest - 1e-9);
          expect(grid.cards).toBeLessThanOrEqual(grid.columns * grid.rows);
          expect(grid.cards).toBeLessThanOrEqual(wished + others);
          expect(grid.cards).toBeGreaterThanOrEqual(Math.min(1, wished + others));
        },
      ),
    );
  });
});
