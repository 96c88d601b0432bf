import type { SeriesPoint } from '../api/series';

/**
 * Thin a series to at most `budget` (2 or more) points. Each bucket has its smallest, largest and last value and its
 * sums. The first point of each run stays unchanged. A run is a part of one context with only known or only unknown
 * values. Buckets span several runs only if there are more runs than half the budget.
 */
export function downsample(points: readonly SeriesPoint[], budget: number): SeriesPoint[] {
  if (points.length <= budget) return [...points];
  const runs = splitRuns(points);
  if (runs.length * 2 > budget) return sliceEvenly(points, budget);

  const inner = runs.map((run) => Math.max(0, run.length - 2));
  const innerTotal = inner.reduce((sum, length) => sum + length, 0);
  const spare = budget - runs.length * 2;
  return runs.flatMap((run, index) => {
    if (run.length <= 2) return run;
    const buckets = Math.floor((spare * (inner[index] ?? 0)) / innerTotal);
    const first = run.slice(0, 1);
    // Inner turns without a bucket are added to the last point of the run.
    if (buckets === 0) return [...first, mergeBucket(run.slice(1))];
    return [...first, ...cut(run.slice(1, -1), buckets).map(mergeBucket), ...run.slice(-1)];
  });
}

function splitRuns(points: readonly SeriesPoint[]): SeriesPoint[][] {
  const runs: SeriesPoint[][] = [];
  for (const point of points) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    const joins =
      before?.context === point.context &&
      (before.used === null) === (point.used === null) &&
      before.untracked === point.untracked;
    if (joins) run?.push(point);
    else runs.push([point]);
  }
  return runs;
}

function sliceEvenly(points: readonly SeriesPoint[], budget: number): SeriesPoint[] {
  const middle = budget > 2 ? cut(points.slice(1, -1), budget - 2).map(mergeBucket) : [];
  const ends = [points[0], points.at(-1)].filter((point) => point !== undefined);
  return budget > 2 ? [...ends.slice(0, 1), ...middle, ...ends.slice(1)] : ends;
}

/** Cuts a list into at most `count` pieces of nearly equal length. */
function cut<T>(items: readonly T[], count: number): T[][] {
  const pieces: T[][] = [];
  for (let index = 0; index < count; index += 1) {
    const from = Math.floor((index * items.length) / count);
    const to = Math.floor(((index + 1) * items.length) / count);
    if (to > from) pieces.push(items.slice(from, to));
  }
  return pieces;
}

const SUMS = ['turns', 'input', 'output', 'cacheRead', 'cacheCreation'] as const;

function mergeBucket(points: readonly SeriesPoint[]): SeriesPoint {
  const last = points.at(-1);
  if (!last) throw new RangeError('a bucket needs at least one point');
  const merged: SeriesPoint = { ...last };
  for (const point of points.slice(0, -1)) {
    merged.min = extreme(Math.min, merged.min, point.min);
    merged.max = extreme(Math.max, merged.max, point.max);
    for (const name of SUMS) merged[name] += point[name];
    merged.estimated ||= point.estimated;
  }
  return merged;
}

function extreme(pick: (a: number, b: number) => number, a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return pick(a, b);
}
