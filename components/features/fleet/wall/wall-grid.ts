import type { Session } from '@/core/api/session';

/** Size of a card at a scale of 1, pixels. */
const CARD = { width: 460, height: 276 };
/** Cells that can be read from four metres. */
const MOST_CELLS = 12;

export interface WallGrid {
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

/** Scale of the smallest card. A small screen is seen from nearby, so its cards may be smaller. */
export function wallUnit(screenWidth: number, screenHeight: number): number {
  return Math.max(0.6, Math.min(screenWidth / 1920, screenHeight / 1080));
}

/**
 * At most twelve cards, as large as possible.
 * @param wished number of sessions that need a card; other sessions fill the remaining cells
 * @param all number of all sessions
 */
export function wallGrid(wished: number, all: number, space: WallSpace): WallGrid {
  for (let cells = Math.min(MOST_CELLS, Math.max(1, wished)); cells > 1; cells -= 1) {
    const fit = largestFit(cells, space);
    if (fit !== null) return { ...fit, cards: cardsIn(fit.columns * fit.rows, wished, all) };
  }
  return { columns: 1, rows: 1, cards: Math.min(1, all) };
}

/** One cell summarises the rest, unless there is only one cell or a wished card needs this cell. */
function cardsIn(cells: number, wished: number, all: number): number {
  if (all <= cells) return all;
  return cells === 1 || wished === cells ? cells : cells - 1;
}

/** The columns and rows with the largest cards; null: the cards would be too small to read. */
function largestFit(
  count: number,
  { width, height, unit }: WallSpace,
): { columns: number; rows: number } | null {
  let best: { columns: number; rows: number } | null = null;
  let most = 0;
  // One column is always allowed, because a phone has room for no more.
  const widest = Math.max(1, Math.floor(width / (CARD.width * unit)));
  for (let columns = 1; columns <= Math.min(count, widest); columns += 1) {
    const rows = Math.ceil(count / columns);
    if (height / rows < CARD.height * unit) continue;
    const scale = Math.min(width / columns / CARD.width, height / rows / CARD.height);
    // Empty cells waste room.
    const worth = scale * (count / (columns * rows));
    if (worth > most) {
      most = worth;
      best = { columns, rows };
    }
  }
  return best;
}

const NEAR: ReadonlySet<string> = new Set(['critical', 'warning']);
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

/**
 * Ids of the sessions with a card, then of the others, both in the given order. Calm sessions lose their cards first.
 * @param alerting ids of sessions with a firing alert
 */
export function cardsFirst(
  sessions: readonly Session[],
  cards: number,
  alerting: ReadonlySet<string>,
): string[] {
  const isCalm = ({ id, liveness, state, trouble }: Session) =>
    !alerting.has(id) &&
    trouble === null &&
    (liveness !== 'live' || !NEAR.has(state)) &&
    state !== 'redlined';
  const calm = sessions.filter(isCalm);
  const room = Math.max(0, cards - (sessions.length - calm.length));
  const without = new Set(calm.slice(room));
  const urgent = sessions.filter((session) => !without.has(session));
  return [...urgent, ...without].map(({ id }) => id);
}
