/** Keeps labels beside their lines as close as they can be without touching. */

export interface LabelWish {
  id: string;
  /** Where it wants to be: pixels from the top. */
  y: number;
  /** Pixels it needs below itself besides the common gap (a second line of text). */
  below?: number;
}

export interface LabelBounds {
  /** Smallest distance between two labels, pixels. */
  gap: number;
  min: number;
  max: number;
}

interface Block {
  /** Sum of the members' wishes, each moved to the place of the block's first. */
  sum: number;
  size: number;
  ids: Array<{ id: string; offset: number }>;
  span: number;
  below: number;
}

/**
 * Places all labels in the order of their wishes, at least `gap` apart, with the least squared distance to
 * the wishes, inside the bounds. Labels that cannot all fit run over the lower bound rather than touch.
 * @returns y per id, pixels
 */
export function solveLabels(wishes: readonly LabelWish[], bounds: LabelBounds): Map<string, number> {
  const sorted = [...wishes].sort((a, b) => a.y - b.y || (a.id < b.id ? -1 : 1));
  const blocks: Block[] = [];
  for (const wish of sorted) {
    blocks.push({
      sum: wish.y,
      size: 1,
      ids: [{ id: wish.id, offset: 0 }],
      span: 0,
      below: wish.below ?? 0,
    });
    mergeWhileTouching(blocks, bounds);
  }
  const placed = new Map<string, number>();
  let floor = Number.NEGATIVE_INFINITY;
  for (const block of blocks) {
    const top = Math.max(blockTop(block, bounds), floor);
    for (const { id, offset } of block.ids) placed.set(id, top + offset);
    floor = top + block.span + block.below + bounds.gap;
  }
  return placed;
}

function blockTop(block: Block, bounds: LabelBounds): number {
  const wanted = block.sum / block.size;
  return Math.max(bounds.min, Math.min(wanted, bounds.max - block.span - block.below));
}

function mergeWhileTouching(blocks: Block[], bounds: LabelBounds): void {
  for (;;) {
    const lower = blocks[blocks.length - 1];
    const upper = blocks[blocks.length - 2];
    if (!lower || !upper) return;
    const shift = upper.span + upper.below + bounds.gap;
    if (blockTop(upper, bounds) + shift <= blockTop(lower, bounds)) return;
    blocks.pop();
    upper.sum += lower.sum - lower.size * shift;
    upper.size += lower.size;
    for (const member of lower.ids) upper.ids.push({ id: member.id, offset: member.offset + shift });
    upper.span = shift + lower.span;
    upper.below = lower.below;
  }
}
