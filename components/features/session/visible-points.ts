/** Which points of a series a zoomed sheet needs. */

import type { SeriesPoint } from '@/core/api/series';
import { type AxisKind, momentX, pointX } from '../../charts/chart-scale';
import type { Boundary } from '../../charts/list-marks';

/** Points in the range and one on either side, for the values at its edges. */
export function clipPoints(points: readonly SeriesPoint[], from: number, to: number): readonly SeriesPoint[] {
  let first = points.findIndex((point) => point.t >= from);
  if (first === -1) first = points.length;
  let last = points.length;
  while (last > first && (points[last - 1]?.t ?? 0) > to) last -= 1;
  return points.slice(Math.max(0, first - 1), last + 1);
}

/**
 * The zoomed series within the whole one, and the turns since.
 * @param whole the thinned series of the session, kept up by the live feed
 * @param zoomed the range, read in full detail; null while it is on its way
 */
export function joinZoomed(
  whole: readonly SeriesPoint[],
  zoomed: readonly SeriesPoint[] | null,
): readonly SeriesPoint[] {
  const first = zoomed?.[0];
  const last = zoomed?.at(-1);
  if (!zoomed || !first || !last) return whole;
  const before = whole.filter((point) => point.n <= first.n - first.turns);
  const after = whole.filter((point) => point.n > last.n);
  return [...before, ...zoomed, ...after];
}

export interface Stretch {
  from: number;
  to: number;
}

/** Where nothing was tracked, on the x axis: up to the next tracked turn, the next boundary, or the end. */
export function untrackedStretches(
  points: readonly SeriesPoint[],
  boundaries: readonly Boundary[],
  axis: AxisKind,
  domain: { from: number; to: number; end: { x: number } },
): Stretch[] {
  const stretches: Stretch[] = [];
  let open: { from: number; context: number } | null = null;
  const close = (x: number) => {
    if (open) stretches.push({ from: Math.max(open.from, domain.from), to: Math.min(x, domain.to) });
    open = null;
  };
  for (const point of points) {
    const x = pointX(point, axis);
    if (open !== null && (!point.untracked || point.context !== (open as { context: number }).context)) {
      const context = (open as { context: number }).context;
      const boundary = boundaries.find((candidate) => candidate.contextAfter === context + 1);
      close(boundary ? Math.min(momentX(boundary, axis), x) : x);
    }
    if (point.untracked && open === null) open = { from: x, context: point.context };
  }
  close(domain.end.x);
  return stretches.filter((stretch) => stretch.to > stretch.from);
}
