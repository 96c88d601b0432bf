/** Finds room for a label within the plot, where it covers neither the trace nor a mark. Pure. */
import type { PlotFrame } from './plot-frame';
import type { TraceRows } from './trace-segments';

export interface Span {
  from: number;
  to: number;
}

/** Stretches of the x axis in which the step traces cross a band of the plot, pixels. */
export function crossings(rows: TraceRows, frame: Pick<PlotFrame, 'x' | 'y'>, band: Span): Span[] {
  const isCrossed = (a: number, b: number) => Math.min(a, b) <= band.to && Math.max(a, b) >= band.from;
  return Object.values(rows).flatMap((points) =>
    points.flatMap((point, index) => {
      const next = points[index + 1];
      if (point.y === null || next === undefined) return [];
      const [x, y, nextX] = [frame.x(point.x), frame.y(point.y), frame.x(next.x)];
      const level = isCrossed(y, y) ? [{ from: x, to: nextX }] : [];
      const step = next.y !== null && isCrossed(y, frame.y(next.y)) ? [{ from: nextX, to: nextX }] : [];
      return [...level, ...step];
    }),
  );
}

/** The first place from the left with room for `width` pixels between the blocked stretches; null: none. */
export function firstRoom(blocked: readonly Span[], within: Span, width: number): number | null {
  let x = within.from;
  for (const { from, to } of blocked.toSorted((a, b) => a.from - b.from)) {
    if (from >= x + width) break;
    x = Math.max(x, to);
  }
  return x + width <= within.to ? x : null;
}
