/**
 * Which of the drawn rows shows which session, so that a row that leaves the screen is taken for one that comes:
 * to change a row's words costs a fraction of making its hundred elements anew.
 *
 * A session keeps its row while it is drawn, whatever the order does: the focus and the pointer stay with it. It trades
 * nothing but an identity: any answer is a right one, the kept one is the cheap one.
 */
export type RowSlots = (ids: readonly string[]) => readonly number[];

export function createRowSlots(): RowSlots {
  let held = new Map<string, number>();
  let size = 0;

  /** @param ids of the rows to draw, each once; the answer names their rows in the same order */
  return (ids) => {
    const wanted = new Set(ids);
    const free: number[] = [];
    const next = new Map<string, number>();
    for (const [id, slot] of held) {
      if (wanted.has(id)) next.set(id, slot);
      else free.push(slot);
    }
    let taken = 0;
    const slots = ids.map((id) => {
      const kept = next.get(id);
      if (kept !== undefined) return kept;
      let slot = free[taken];
      taken += 1;
      if (slot === undefined) {
        slot = size;
        size += 1;
      }
      next.set(id, slot);
      return slot;
    });
    // Rows that nothing took are gone; their numbers begin anew once all are.
    if (next.size === 0) size = 0;
    // In the order of the rows: what comes next takes them in that order, and nothing has to move.
    held = new Map(ids.map((id, index) => [id, slots[index] ?? 0]));
    return slots;
  };
}
