/** Flags above the plot: side by side where there is room, stacked where they would touch. */

export interface FlagWish {
  id: string;
  /** Pole, pixels from the left. */
  x: number;
  /** Width of the text, pixels. */
  width: number;
  /** Placed after all others. */
  yields?: boolean;
}

export interface PlacedFlag {
  id: string;
  /** 0 is nearest the plot; each further level is 14 px higher. */
  level: number;
  /** The side of the pole with the text. */
  side: 'right' | 'left';
}

export interface FlagRoom {
  /** Text must end here, pixels; a flag that would overflow is at the left of its pole. */
  right: number;
  levels: number;
  /** Pixels from pole to text. */
  inset: number;
}

/**
 * Gives each flag the lowest level where neither its text nor its pole crosses another. From the right: the
 * pole of the next flag would cut a text that hangs over it, so the earlier of two that touch is placed higher,
 * and where room runs out the newest keep their words. Flags that find no level are left out: their mark
 * stays on the plot and in the event list. Those that yield come after all others.
 */
export function stackFlags(wishes: readonly FlagWish[], room: FlagRoom): PlacedFlag[] {
  const taken: Array<Array<{ from: number; to: number }>> = Array.from({ length: room.levels }, () => []);
  const placed: PlacedFlag[] = [];
  const sorted = [...wishes].sort(
    (a, b) => Number(a.yields ?? false) - Number(b.yields ?? false) || b.x - a.x,
  );
  for (const wish of sorted) {
    const side = wish.x + room.inset + wish.width > room.right ? 'left' : 'right';
    const from = side === 'right' ? wish.x - 1 : wish.x - room.inset - wish.width;
    const to = side === 'right' ? wish.x + room.inset + wish.width : wish.x + 1;
    const poleIsFree = (row: number) =>
      taken[row]?.every((span) => wish.x < span.from || wish.x > span.to) ?? true;
    const level = taken.findIndex(
      (row, index) =>
        row.every((span) => to + 6 <= span.from || span.to + 6 <= from) &&
        Array.from({ length: index }, (_, below) => below).every(poleIsFree),
    );
    if (level === -1) continue;
    taken[level]?.push({ from, to });
    // The pole of a higher flag passes the levels below it.
    for (let below = 0; below < level; below += 1) taken[below]?.push({ from: wish.x - 1, to: wish.x + 1 });
    placed.push({ id: wish.id, level, side });
  }
  return placed;
}
