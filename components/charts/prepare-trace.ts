/** Convert the series to the pieces of the barogram's trace. Pure. */
import type { Series, SeriesPoint } from '@/core/api/series';
import type { ChartScale } from './chart-scale';
import type { Boundary } from './list-marks';
import { liveTail, SegmentBuilder, type TraceSegment } from './trace-segments';

export interface TraceInput {
  lens: Series['lens'];
  points: readonly SeriesPoint[];
  boundaries: readonly Boundary[];
  /** Turns were lost here, so the trace breaks. */
  gaps?: ReadonlyArray<{ at: number; turn: number }>;
  scale: ChartScale;
  end: { x: number; hold: 'solid' | 'dotted' };
  liveFromX?: number | null;
}

/**
 * docs/accounting.md has the rules. A boundary starts a sub-path. A null reading is drawn as unknown at the last known
 * value. The peak includes peaks within buckets.
 */
export function prepareTrace(input: TraceInput): { segments: TraceSegment[]; peak: number } {
  const { boundaries, scale, end, gaps = [], liveFromX = null } = input;
  const builder = new SegmentBuilder();
  let peak = 0;
  let standing: number | null = null;
  let lastKnown: number | null = null;
  let previous: SeriesPoint | null = null;

  /** After a boundary, the cumulative lens starts at zero, a snapshot is unknown, and other lenses have no value. */
  const resume = (x: number, context: number) => {
    standing = input.lens === 'cumulative' ? 0 : null;
    if (standing !== null) builder.begin('ink', context, x, standing);
    else if (input.lens === 'snapshot' && lastKnown !== null) builder.begin('unknown', context, x, lastKnown);
  };

  let ahead = 0;
  for (const point of input.points) {
    const x = scale.x(point);
    const y = point.untracked ? null : scale.y(point.used, point.limit);
    const highest = scale.y(point.max, point.limit);
    const lowest = scale.y(point.min, point.limit);
    peak = Math.max(peak, highest ?? 0, y ?? 0);

    if (previous && point.context !== previous.context) {
      const start = boundariesBefore(boundaries, previous.context, ahead);
      ahead = boundariesBefore(boundaries, point.context, start);
      const low = scale.x(previous);
      const [firstX = x, ...later] = boundaries
        .slice(start, ahead)
        .map((boundary) => clamp(scale.momentX(boundary), low, x));
      // A bucket across the boundary may contain the peak of the old context. Draw that peak before the tear.
      if (point.turns > 1 && highest !== null && standing !== null && highest > standing) {
        builder.step(firstX, highest);
      }
      builder.end(firstX);
      resume(later.at(-1) ?? firstX, point.context);
    } else if (previous) {
      const { n } = previous;
      const gap = gaps.find(({ turn }) => turn >= n && turn < point.n);
      if (gap) {
        builder.end(clamp(scale.momentX(gap), scale.x(previous), x));
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
        // A bucket across a boundary may contain the low start of the new context. Start the trace there.
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
    const { context } = previous;
    const lastX = scale.x(previous);
    const later = boundaries.slice(boundariesBefore(boundaries, context, ahead));
    const [firstX = Number.POSITIVE_INFINITY] = later.map((one) => Math.max(scale.momentX(one), lastX));
    const last = later.at(-1);
    if (last && firstX <= end.x) {
      builder.end(firstX);
      resume(Math.max(scale.momentX(last), lastX), last.contextAfter);
      builder.end(end.x);
    } else if (end.hold === 'solid' || builder.kind === 'unknown') {
      builder.end(end.x);
    } else if (standing !== null && end.x > lastX) {
      builder.end(lastX);
      builder.begin('idle', context, lastX, standing);
      builder.end(end.x);
    }
  }

  const { segments } = builder;
  return { segments: liveFromX === null ? segments : [...segments, ...liveTail(segments, liveFromX)], peak };
}

/** Count the boundaries before this context. They are sorted by context; the first `start` are known to be before. */
function boundariesBefore(boundaries: readonly Boundary[], context: number, start: number): number {
  const next = boundaries.findIndex(({ contextAfter }, index) => index >= start && contextAfter > context);
  return next === -1 ? boundaries.length : next;
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(value, high));
}
