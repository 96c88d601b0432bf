interface LabelWish {
  id: string;
  y: number;
  /** Pixels it needs below itself besides the common gap (a second line of text). */
  below?: number;
}

/**
 * Places labels in the order of their wishes, at least `gap` apart and inside the bounds, with the least squared
 * distance to the wishes. Labels that cannot all fit run over the upper bound.
 * @returns y per id, pixels
 */
export function solveLabels(
  wishes: readonly LabelWish[],
  { gap, min, max }: Record<'gap' | 'min' | 'max', number>,
) {
  const sorted = wishes.toSorted((a, b) => a.y - b.y || (a.id < b.id ? -1 : 1));
  let room = 0;
  // Less the room of those above it, a place only has to be at or below theirs: neighbours that are not share their mean.
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
