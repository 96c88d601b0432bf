/** Keeps a chart within its budget of points while the live feed adds turns to the thinned series. */
import type { SeriesPoint } from '@/core/api/series';

/** What one draw may hold; the last turns stay single so that the live end keeps its steps. */
const MOST_POINTS = 300;
const SINGLE_TAIL = 40;

/**
 * Merge the neighbours that are closest in time until the budget is met, so one more turn moves nothing visible.
 * Peaks, lows and sums stay; contexts never mix, and each keeps its first turn.
 */
export function thinPoints(
  points: readonly SeriesPoint[],
  most: number = MOST_POINTS,
): readonly SeriesPoint[] {
  let thinned = points;
  while (thinned.length > most) {
    const merged = mergeClosest(thinned, thinned.length - most);
    if (merged.length === thinned.length) return thinned;
    thinned = merged;
  }
  return thinned;
}

/** One round: merges at most `count` pairs, none of which share a point. */
function mergeClosest(points: readonly SeriesPoint[], count: number): SeriesPoint[] {
  const pairs: Array<{ index: number; gap: number }> = [];
  for (let index = 1; index + 1 < points.length - SINGLE_TAIL; index += 1) {
    const before = points[index - 1];
    const first = points[index];
    const second = points[index + 1];
    if (!before || !first || !second || before.context !== first.context) continue;
    if (canMerge(first, second)) pairs.push({ index, gap: second.t - first.t });
  }
  pairs.sort((a, b) => a.gap - b.gap || a.index - b.index);
  const starts = new Set<number>();
  for (const { index } of pairs) {
    if (starts.size === count) break;
    if (!starts.has(index - 1) && !starts.has(index + 1)) starts.add(index);
  }
  const merged: SeriesPoint[] = [];
  for (let index = 0; index < points.length; index += 1) {
    const first = points[index];
    const second = points[index + 1];
    if (!first) continue;
    if (second && starts.has(index)) {
      merged.push(mergeTwo(first, second));
      index += 1;
    } else {
      merged.push(first);
    }
  }
  return merged;
}

function canMerge(first: SeriesPoint, second: SeriesPoint): boolean {
  return (
    first.context === second.context &&
    first.estimated === second.estimated &&
    first.untracked === second.untracked &&
    first.limit === second.limit &&
    (first.used === null) === (second.used === null)
  );
}

function mergeTwo(first: SeriesPoint, second: SeriesPoint): SeriesPoint {
  return {
    ...second,
    min: pick(first.min, second.min, Math.min),
    max: pick(first.max, second.max, Math.max),
    turns: first.turns + second.turns,
    input: first.input + second.input,
    output: first.output + second.output,
    cacheRead: first.cacheRead + second.cacheRead,
    cacheCreation: first.cacheCreation + second.cacheCreation,
  };
}

function pick(a: number | null, b: number | null, choose: (a: number, b: number) => number): number | null {
  if (a === null) return b;
  return b === null ? a : choose(a, b);
}
