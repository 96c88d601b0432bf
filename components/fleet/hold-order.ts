/** Rows stay where they are while the pointer or the focus is among them; what would move is counted. */

export interface HeldOrder {
  order: readonly string[];
  /** Rows that would change their place, come or go, if the list were let go. */
  moved: number;
}

/**
 * @param held ids as they are shown; null: nothing is held
 * @param wanted ids in the order the list would have now
 */
export function holdOrder(held: readonly string[] | null, wanted: readonly string[]): HeldOrder {
  if (held === null) return { order: wanted, moved: 0 };
  const place = new Map(held.map((id, index) => [id, index]));
  const kept: number[] = [];
  let moved = 0;
  for (const id of wanted) {
    const index = place.get(id);
    if (index === undefined) moved += 1;
    else kept.push(index);
  }
  const gone = held.length - kept.length;
  return { order: held, moved: moved + gone + kept.length - longestRise(kept) };
}

/** Length of the longest ascending run of places, not necessarily neighbours: the rows that can stay. */
function longestRise(places: readonly number[]): number {
  const tails: number[] = [];
  for (const place of places) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tails[middle] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    tails[low] = place;
  }
  return tails.length;
}
