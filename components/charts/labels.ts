/** `below`: extra pixels under the label, for a second line of text. */
interface LabelWish {
  id: string;
  y: number;
  below?: number;
}

/**
 * Place labels in the order of their wanted positions, at least `gap` apart and inside the bounds, with the least
 * squared distance. Too many labels overflow the upper bound.
 * @returns y per id, pixels
 */
export function solveLabels(
  wishes: readonly LabelWish[],
  { gap, min, max }: Record<'gap' | 'min' | 'max', number>,
) {
  const sorted = wishes.toSorted((a, b) => a.y - b.y || (a.id < b.id ? -1 : 1));
  let room = 0;
  // With the gaps subtracted, labels only need ascending positions. Overlapping neighbours get their mean position.
  const blocks: Array<{ sum: number; members: Array<{ id: string; above: number }> }> = [];
  for (const { id, y, below = 0 } of sorted) {
    let block = { sum: y - room, members: [{ id, above: room }] };
    for (
      let last = blocks.at(-1);
      last && last.sum / last.members.length > block.sum / block.members.length;
      last = blocks.at(-1)
    ) {
      blocks.pop();
      block = { sum: last.sum + block.sum, members: [...last.members, ...block.members] };
    }
    blocks.push(block);
    room += below + gap;
  }
  return new Map(
    blocks.flatMap(({ sum, members }) => {
      const place = Math.max(min, Math.min(sum / members.length, max - room + gap));
      return members.map(({ id, above }) => [id, place + above] as const);
    }),
  );
}

// Estimated widths of short labels: a few pixels off, but the same on every machine.

/** Geist Mono at 11 px, letter-spacing −.02em, word-spacing −.32em. */
export function monoWidth(text: string): number {
  const spaces = (text.match(/\s/g) ?? []).length;
  return text.length * 6.4 - spaces * 3.5;
}

/** Geist Sans at 11 px. */
export function sansWidth(text: string): number {
  return text.length * 5.7;
}
