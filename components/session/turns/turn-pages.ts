/** Which pages a table of turns needs, and where its rows stand: numbers alone. */
import type { TurnRow } from '@/core/api/session';
import type { TurnExtent } from './fetch-turns';

/** Turns a page holds. */
export const PAGE_TURNS = 100;
/** Pages kept: some screens' worth to and fro. */
export const MOST_PAGES = 40;
/** No browser makes an element higher than some 17 million pixels. */
export const MOST_PX = 12_000_000;

export type TurnPages = ReadonlyMap<number, readonly TurnRow[]>;

export function pageOf(turn: number, extent: TurnExtent): number {
  return Math.floor((turn - extent.first) / PAGE_TURNS);
}

/** The turn of that number; undefined: it was not read yet. */
export function turnAt(pages: TurnPages, extent: TurnExtent, turn: number): TurnRow | undefined {
  const page = pages.get(pageOf(turn, extent));
  const guess = page?.[(turn - extent.first) % PAGE_TURNS];
  // Turns that came late move those behind them: a page may hold another number there.
  return guess?.number === turn ? guess : page?.find(({ number }) => number === turn);
}

/** The first page of a visible range that was not read, or not to its end; null: all is there. */
export function missingPage(
  pages: TurnPages,
  extent: TurnExtent,
  visible: { from: number; to: number },
): number | null {
  const last = pageOf(Math.min(visible.to, extent.last), extent);
  for (let page = pageOf(Math.max(visible.from, extent.first), extent); page <= last; page += 1) {
    const begin = extent.first + page * PAGE_TURNS;
    const whole = Math.min(PAGE_TURNS, extent.last - begin + 1);
    if ((pages.get(page)?.length ?? 0) < whole) return page;
  }
  return null;
}

/** The pages with one more; those read longest ago go when there are too many. */
export function withPage(pages: TurnPages, page: number, turns: readonly TurnRow[]): TurnPages {
  const next = new Map(pages);
  next.delete(page);
  next.set(page, turns);
  for (const oldest of next.keys()) {
    if (next.size <= MOST_PAGES) break;
    next.delete(oldest);
  }
  return next;
}

/**
 * Pixels of rows per pixel of scrollbar: 1, unless the rows are higher than an element may be. Both ends meet.
 * @param rowsPx height of all rows
 * @param viewPx height of what is seen of them
 */
export function scrollRatio(rowsPx: number, viewPx: number): number {
  if (rowsPx <= MOST_PX) return 1;
  return (rowsPx - viewPx) / (MOST_PX - viewPx);
}
