/** Sets of seqs as sorted, disjoint, inclusive ranges: an orderly stream of a million items is one range. */
import type { SeqRange } from './messages';

export function toRanges(seqs: Iterable<number>): SeqRange[] {
  const sorted = [...seqs].sort((a, b) => a - b);
  const ranges: SeqRange[] = [];
  let current: SeqRange | undefined;
  for (const seq of sorted) {
    if (current && seq <= current[1] + 1) {
      current[1] = Math.max(current[1], seq);
    } else {
      current = [seq, seq];
      ranges.push(current);
    }
  }
  return ranges;
}

/** Whether a seq lies in one of the sorted ranges. */
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

/** Brings ranges from anywhere into order: sorted, disjoint, neighbours joined. */
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
