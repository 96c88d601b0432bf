import { describe, expect, it } from 'vitest';
import type { TurnRow } from '@/core/api/session';
import {
  MOST_PAGES,
  MOST_PX,
  missingPage,
  scrollRatio,
  type TurnPages,
  turnAt,
  withPage,
} from './turn-pages';

const turn = (number: number) => ({ number }) as TurnRow;
const page = (first: number, count: number) => Array.from({ length: count }, (_, i) => turn(first + i));
const extent = { first: 11, last: 260 };

describe('pages of turns', () => {
  it('are wanted where a visible turn was not read', () => {
    const none: TurnPages = new Map();
    expect(missingPage(none, extent, { from: 11, to: 40 })).toBe(0);
    expect(missingPage(none, extent, { from: 111, to: 140 })).toBe(1);
    const first = withPage(none, 0, page(11, 100));
    expect(missingPage(first, extent, { from: 11, to: 110 })).toBeNull();
    expect(missingPage(first, extent, { from: 90, to: 111 })).toBe(1);
  });

  it('are wanted again when the session grew past what they hold', () => {
    const pages = withPage(new Map(), 2, page(211, 50));
    expect(missingPage(pages, extent, { from: 250, to: 260 })).toBeNull();
    expect(missingPage(pages, { ...extent, last: 261 }, { from: 250, to: 261 })).toBe(2);
  });

  it('give the turn of a number, also where a late turn moved it in its page', () => {
    const pages = withPage(new Map(), 0, page(11, 100));
    expect(turnAt(pages, extent, 57)?.number).toBe(57);
    expect(turnAt(pages, extent, 111)).toBeUndefined();
    const moved = withPage(new Map(), 0, page(10, 100));
    expect(turnAt(moved, extent, 57)?.number).toBe(57);
  });

  it('are given up, those read longest ago first, when there are too many', () => {
    let pages: TurnPages = new Map();
    for (let i = 0; i <= MOST_PAGES; i += 1) pages = withPage(pages, i, []);
    expect(pages.size).toBe(MOST_PAGES);
    expect(pages.has(0)).toBe(false);
    expect(pages.has(MOST_PAGES)).toBe(true);
  });
});

describe('the scrollbar', () => {
  it('moves rows pixel by pixel until they are higher than an element may be', () => {
    expect(scrollRatio(1_000, 400)).toBe(1);
    expect(scrollRatio(MOST_PX, 400)).toBe(1);
  });

  it('still reaches both ends of a million turns', () => {
    const rowsPx = 26_000_000;
    const ratio = scrollRatio(rowsPx, 400);
    expect(ratio).toBeGreaterThan(2);
    expect((MOST_PX - 400) * ratio).toBeCloseTo(rowsPx - 400, 3);
  });
});
