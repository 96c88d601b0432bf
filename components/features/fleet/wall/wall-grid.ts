import type { Session } from '@/core/api/session';

/** Size of a card at a scale of 1, pixels: with and without a trace. */
const CARD_SIZES = {
  large: { width: 460, height: 276 },
  compact: { width: 372, height: 148 },
} as const;
export type CardKind = keyof typeof CARD_SIZES;

export interface WallGrid {
  kind: CardKind;
  columns: number;
  rows: number;
  /** Sessions with a card. The next cell summarises the rest. */
  cards: number;
}

export interface WallSpace {
  width: number;
  height: number;
  /** Screen pixels per pixel of a 1920 × 1080 screen. */
  unit: number;
}

/** Scale of the wall, at least 1, because a small screen is seen from nearby. */
export function wallUnit(screenWidth: number, screenHeight: number): number {
  return Math.max(1, Math.min(screenWidth / 1920, screenHeight / 1080));
}

/**
 * Large cards if all wished sessions fit, else compact cards.
 * @param wished number of sessions that need a card; other sessions fill the remaining cells
 * @param all number of all sessions
 */
export function wallGrid(wished: number, all: number, space: WallSpace): WallGrid {
  for (const kind of ['large', 'compact'] as const) {
    const fit = largestFit(Math.max(1, wished), kind, space);
    if (fit !== null) return { kind, ...fit, cards: cardsIn(fit.columns * fit.rows, wished, all) };
  }
  const { width, height } = CARD_SIZES.compact;
  const columns = Math.max(1, Math.floor(space.width / (width * space.unit)));
  const rows = Math.max(1, Math.floor(space.height / (height * space.unit)));
  return { kind: 'compact', columns, rows, cards: cardsIn(columns * rows, wished, all) };
}

/** One cell summarises the rest, unless there is only one cell or a wished card needs this cell. */
function cardsIn(cells: number, wished: number, all: number): number {
  if (all <= cells) return all;
  return cells === 1 || wished === cells ? cells : cells - 1;
}

/** The columns and rows with the largest cards; null: the cards would be too small to read. */
function largestFit(
  count: number,
  kind: CardKind,
  { width, height, unit }: WallSpace,
): { columns: number; rows: number } | null {
  let best: { columns: number; rows: number } | null = null;
  let most = 0;
  const card = CARD_SIZES[kind];
  // One column is always allowed, because a phone has room for no more.
  const widest = Math.max(1, Math.floor(width / (card.width * unit)));
  for (let columns = 1; columns <= Math.min(count, widest); columns += 1) {
    const rows = Math.ceil(count / columns);
    if (height / rows < card.height * unit) continue;
    const scale = Math.min(width / columns / card.width, height / rows / card.height);
    // Empty cells waste room.
    const worth = scale * (count / (columns * rows));
    if (worth > most) {
      most = worth;
      best = { columns, rows };
    }
  }
  return best;
}

const HOUR_MS = 3_600_000;

/** Number of sessions that need a card: those active within the hour, or all if there are none. */
export function wishedCards(sessions: readonly Session[], now: number): number {
  const recent = sessions.filter(
    ({ liveness, lastTurnAt }) =>
      liveness === 'live' ||
      (liveness === 'idle' && lastTurnAt !== null && now - Date.parse(lastTurnAt) < HOUR_MS),
  ).length;
  return recent === 0 ? sessions.length : recent;
}
