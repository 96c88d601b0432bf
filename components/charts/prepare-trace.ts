/** From the series to the pieces of the barogram's trace. Pure: time and zone are passed in. */
import type { Series, SeriesPoint } from '@/core/api/series';
import { type AxisKind, momentX, pointX, toUnit, type ValueUnit } from './chart-scale';
import type { Boundary } from './list-marks';
import { liveTail, SegmentBuilder, type TraceSegment } from './trace-segments';

export interface TraceInput {
  lens: Series['lens'];
  points: readonly SeriesPoint[];
  boundaries: readonly Boundary[];
  /** Turns that never arrived: the trace breaks there. */
  gaps: ReadonlyArray<{ at: number; turn: number }>;
  axis: AxisKind;
  unit: ValueUnit;
  /** Limit of turns that state none, tokens. */
  limit: number | null;
  end: { x: number; hold: 'solid' | 'dotted' };
  /** The live end begins here; null: nothing is live. */
  liveFromX: number | null;
}

/**
 * Rules: docs/accounting.md. A boundary starts a sub-path; null is a gap that names the last known value. The peak
 * includes those that buckets hide.
 */
export function prepareTrace(input: TraceInput): { segments: TraceSegment[]; peak: number } {
  const { axis, unit, boundaries } = input;
  const builder = new SegmentBuilder();
  let peak = 0;
  let standing: number | null = null;
  let lastKnown: number | null = null;
  let previous: SeriesPoint | null = null;

  /** After a boundary the cumulative lens reads zero, a reading is unknown, and the bug lenses say nothing. */
  const resume = (x: number, context: number) => {
    if (input.lens === 'cumulative') {
      standing = 0;
      builder.begin('ink', context, x, 0);
      return;
    }
    standing = null;
    if (input.lens === 'snapshot' && lastKnown !== null) builder.begin('unknown', context, x, lastKnown);
  };

  /** The first boundary that no point lies behind yet. */
  let ahead = 0;
  for (const point of input.points) {
    const x = pointX(point, axis);
    const limit = point.limit ?? input.limit;
    const y = point.untracked ? null : toUnit(point.used, limit, unit);
    const highest = toUnit(point.max, limit, unit);
    const lowest = toUnit(point.min, limit, unit);
    if (highest !== null) peak = Math.max(peak, highest);
    if (y !== null) peak = Math.max(peak, y);

    if (previous && point.context !== previous.context) {
      const start = boundariesBefore(boundaries, previous.context, ahead);
      ahead = boundariesBefore(boundaries, point.context, start);
      const low = pointX(previous, axis);
      const [firstX = x, ...later] = boundaries
        .slice(start, ahead)
        .map((boundary) => clamp(momentX(boundary, axis), low, x));
      // A bucket over the boundary may hide the old context's peak: it belongs before the tear.
      if (point.turns > 1 && highest !== null && standing !== null && highest > standing) {
        builder.step(firstX, highest);
      }
      builder.end(firstX);
      resume(later.at(-1) ?? firstX, point.context);
    } else if (previous) {
      const { n } = previous;
      const gap = input.gaps.find(({ turn }) => turn >= n && turn < point.n);
      if (gap) {
        builder.end(clamp(momentX(gap, axis), pointX(previous, axis), x));
        standing = null;
      }
    }

    if (y === null) {
      if (standing !== null || builder.kind === null) {
        builder.end(x);
        standing = null;
        if (lastKnown !== null && !point.untracked) builder.begin('unknown', point.context, x, lastKnown);
      }
    } else {
      const kind = point.estimated ? 'estimate' : 'ink';
      if (standing === null) {
        builder.end(x);
        // A bucket over a boundary may hide how low the new context began.
        const hidden = point.turns > 1 && lowest !== null && lowest < y ? lowest : null;
        builder.begin(kind, point.context, x, hidden ?? y);
        if (hidden !== null) builder.step(x, y);
      } else {
        if (builder.kind !== kind) {
          builder.end(x);
          builder.begin(kind, point.context, x, standing);
        }
        if (point.turns > 1 && previous?.context === point.context) {
          if (highest !== null && highest > Math.max(standing, y)) builder.step(x, highest);
          if (lowest !== null && lowest < Math.min(standing, y)) builder.step(x, lowest);
        }
        builder.step(x, y);
      }
      standing = y;
      lastKnown = y;
    }
    previous = point;
  }

  if (previous) {
    const context = previous.context;
    const lastX = pointX(previous, axis);
    const later = boundaries.slice(boundariesBefore(boundaries, context, ahead));
    const [firstX, lastBoundaryX] = [later[0], later.at(-1)].map(
      (boundary) => boundary && Math.max(momentX(boundary, axis), lastX),
    );
    const last = later.at(-1);
    if (firstX !== undefined && lastBoundaryX !== undefined && last && firstX <= input.end.x) {
      builder.end(firstX);
      resume(lastBoundaryX, last.contextAfter);
      builder.end(input.end.x);
    } else if (input.end.hold === 'solid' || builder.kind === 'unknown') {
      builder.end(input.end.x);
    } else if (standing !== null && input.end.x > lastX) {
      builder.end(lastX);
      builder.begin('idle', context, lastX, standing);
      builder.end(input.end.x);
    }
  }

  const { segments } = builder;
  return {
    segments: input.liveFromX === null ? segments : [...segments, ...liveTail(segments, input.liveFromX)],
    peak,
  };
}

/** How many of them begin this context or one before it, in a list by context, from `start` on. */
function boundariesBefore(boundaries: readonly Boundary[], context: number, start: number): number {
  let index = start;
  for (let next = boundaries[index]; next && next.contextAfter <= context; next = boundaries[index])
    index += 1;
  return index;
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(value, high));
}
