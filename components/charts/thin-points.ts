/** Keeps a chart within its budget of points while the live feed adds turns to the thinned series. */
import type { SeriesPoint } from '@/core/api/series';

/** What one draw may hold; the last turns stay single so that the live end keeps its steps. */
export const MOST_POINTS = 300;
const SINGLE_TAIL = 40;

/** Merges neighbours two by two until the budget holds. Peaks, lows and sums stay; contexts never mix. */
export function thinPoints(
  points: readonly SeriesPoint[],
  most: number = MOST_POINTS,
): readonly SeriesPoint[] {
  let thinned = points;
  while (thinned.length > most) {
    const halved = mergePairs(thinned);
    if (halved.length === thinned.length) return thinned;
    thinned = halved;
  }
  return thinned;
}

function mergePairs(points: readonly SeriesPoint[]): SeriesPoint[] {
  const tailFrom = points.length - SINGLE_TAIL;
  const merged: SeriesPoint[] = [];
  for (let i = 0; i < points.length; i += 1) {
    const first = points[i];
    const second = points[i + 1];
    if (!first) continue;
    if (second && i + 1 < tailFrom && canMerge(first, second)) {
      merged.push(mergeTwo(first, second));
      i += 1;
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
