import { describe, expect, it } from 'vitest';
import { fc } from '@/core/testing/property-runs';
import { MADE_AT, makeBoundary, makeSession } from '../../../format/testing/make-session';
import { cardsFirst, wallGrid, wallUnit, wishedCards } from './wall-grid';

const HD = { width: 1872, height: 892, unit: 1 };
/** The smallest readable card. */
const SMALLEST = { width: 460, height: 276 };

describe('the grid of a wall', () => {
  it.each([
    [1, 1, 1, 1, 1],
    [3, 3, 3, 1, 3],
    [12, 12, 4, 3, 12],
    [40, 40, 4, 3, 11],
    [1000, 1000, 4, 3, 11],
    [5, 6, 3, 2, 6],
    [5, 90, 3, 2, 5],
    [3, 90, 3, 1, 3],
  ] as const)(
    'for %d wished of %d sessions is %d × %d, with %d cards',
    (wished, all, columns, rows, cards) => {
      const grid = { columns, rows, cards };
      expect(wallGrid(wished, all, HD)).toEqual(grid);
      const unit = wallUnit(3840, 2160);
      expect(wallGrid(wished, all, { width: 3744, height: 1784, unit }), 'twice as large').toEqual(grid);
    },
  );

  it('has one column on a phone, and at least one card', () => {
    const phone = (width: number, height: number) => wallGrid(40, 40, { width, height, unit: 1 });
    expect(phone(328, 600)).toMatchObject({ columns: 1, rows: 2, cards: 1 });
    expect(phone(300, 90)).toMatchObject({ columns: 1, rows: 1, cards: 1 });
    expect(wallUnit(360, 740)).toBe(0.6);
  });

  it('keeps cards readable, unless the room is smaller than one card', () => {
    const count = fc.integer({ min: 0, max: 2000 });
    fc.assert(
      fc.property(
        count,
        count,
        fc.integer({ min: 480, max: 5000 }),
        fc.integer({ min: 300, max: 3000 }),
        (wished, others, width, height) => {
          const unit = wallUnit(width, height);
          const { columns, rows, cards } = wallGrid(wished, wished + others, { width, height, unit });
          const scale = Math.min(width / columns / SMALLEST.width, height / rows / SMALLEST.height) / unit;
          const room = Math.min(1, width / (SMALLEST.width * unit), height / (SMALLEST.height * unit));
          expect(scale).toBeGreaterThanOrEqual(room - 1e-9);
          expect(columns * rows).toBeLessThanOrEqual(12);
          expect(cards).toBeLessThanOrEqual(Math.min(columns * rows, wished + others));
          expect(cards).toBeGreaterThanOrEqual(Math.min(1, wished + others));
        },
      ),
    );
  });

  it('makes room for sessions active within the hour, or for all sessions if none was active', () => {
    const idle = (number: number, minutes: number | null) =>
      makeSession(number, {
        liveness: 'idle',
        lastTurnAt: minutes === null ? null : new Date(MADE_AT - minutes * 60_000).toISOString(),
      });
    const left = [idle(3, 90), idle(4, null)];
    const live = makeSession(1, { nextBoundary: makeBoundary(26) });
    expect(wishedCards([live, idle(2, 40), ...left], MADE_AT)).toBe(2);
    expect([wishedCards(left, MADE_AT), wishedCards([], MADE_AT)]).toEqual([2, 0]);
  });

  it('takes cards from calm sessions first, and keeps the order', () => {
    const near = { used: 160_000 };
    const sessions = [1, 2, 3, 4, 5, 6].map((number) =>
      makeSession(number, {
        nextBoundary: makeBoundary(number),
        ...([3, 5].includes(number) ? near : {}),
        ...(number === 6 ? { ...near, liveness: 'idle' } : {}),
      }),
    );
    const ids = sessions.map(({ id }) => id);
    const order = (cards: number, ...alerting: number[]) =>
      cardsFirst(sessions, cards, new Set(alerting.map((number) => ids[number - 1] ?? ''))).map(
        (id) => ids.indexOf(id) + 1,
      );
    expect(order(6)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(order(3)).toEqual([1, 3, 5, 2, 4, 6]);
    expect(order(4, 6)).toEqual([1, 3, 5, 6, 2, 4]);
    expect(order(1), 'more urgent sessions than cards').toEqual([3, 5, 1, 2, 4, 6]);
  });
});
