import type { SeriesPoint } from '@/core/api/series';

/**
 * Turns since the open context passed a line; 0: with the last turn. null: it is below the line, or the turn is lost in
 * thinned points.
 * @param points the session's own lens, oldest first
 * @param line tokens
 */
export function turnsSincePassed(points: readonly SeriesPoint[], line: number): number | null {
  const last = points.at(-1);
  if (last === undefined || last.used === null || last.used < line) return null;
  let reached = last;
  for (let index = points.length - 2; index >= 0; index -= 1) {
    const point = points[index];
    if (point === undefined || point.context !== last.context) break;
    if (point.used === null || point.used < line) break;
    reached = point;
  }
  return reached.turns === 1 ? last.n - reached.n : null;
}
