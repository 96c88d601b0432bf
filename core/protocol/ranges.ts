/** Sets of seqs as sorted, disjoint, inclusive ranges. A stream of a million items without gaps is one range. */
import type { SeqRange } from './messages';

export function toRanges(seqs: Iterable<number>): SeqRange[] {
  return normalizeRanges(Array.from(seqs, (seq) => [seq, seq]));
}

export function inRanges(ranges: readonly SeqRange[], seq: number): boolean {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle];
    if (!range) return false;
    if (seq < range[0]) high = middle - 1;
    else if (seq > range[1]) low = middle + 1;
    else return true;
  }
  return false;
}

/** Sorts ranges, and joins those that overlap or touch. */
export function normalizeRanges(ranges: readonly SeqRange[]): SeqRange[] {
  const sorted = [...ranges].filter(([from, to]) => from <= to).sort((a, b) => a[0] - b[0]);
  const joined: SeqRange[] = [];
  for (const [from, to] of sorted) {
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}
