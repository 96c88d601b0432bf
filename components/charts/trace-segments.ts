import type { PlotFrame } from './plot-frame';
import { stepPath } from './trace-path';

/** `unknown`: the last known value; `idle`: the last value of a silent session; `live`: the live end, drawn on top. */
export type SegmentKind = 'ink' | 'estimate' | 'unknown' | 'idle' | 'live';

export interface TraceSegment {
  kind: SegmentKind;
  context: number;
  points: Array<{ x: number; y: number }>;
}

/** Rows of each kind that has pieces. A row without a value ends the sub-path. */
export type TraceRows = Partial<Record<SegmentKind, Array<{ x: number; y: number | null }>>>;

export class SegmentBuilder {
  readonly segments: TraceSegment[] = [];
  private open: TraceSegment | null = null;

  get kind(): SegmentKind | null {
    return this.open?.kind ?? null;
  }

  begin(kind: SegmentKind, context: number, x: number, y: number): void {
    this.open = { kind, context, points: [{ x, y }] };
    this.segments.push(this.open);
  }

  /** Add a step. Points inside a level stretch are merged. */
  step(x: number, y: number): void {
    const [beforeLast, last] = this.open?.points.slice(-2) ?? [];
    if (last && beforeLast && last.y === y && beforeLast.y === y) last.x = x;
    else this.open?.points.push({ x, y });
  }

  end(x: number): void {
    const last = this.open?.points.at(-1);
    if (last && x > last.x) this.step(x, last.y);
    this.open = null;
  }
}

/** The known pieces of the open context from x on, to be painted again as the live end. */
export function liveTail(segments: readonly TraceSegment[], fromX: number): TraceSegment[] {
  const open = segments.at(-1)?.context;
  return segments.flatMap(({ kind, context, points }) => {
    if (context !== open || (kind !== 'ink' && kind !== 'estimate')) return [];
    const after = points.filter(({ x }) => x >= fromX);
    const before = points.findLast(({ x }) => x < fromX);
    if (after.length === 0) return [];
    return [{ kind: 'live', context, points: before ? [{ x: fromX, y: before.y }, ...after] : after }];
  });
}

/** One row per point and one empty row after each piece, so that a new context is a new sub-path. */
export function toRows(segments: readonly TraceSegment[]): TraceRows {
  const rows: TraceRows = {};
  for (const { kind, points } of segments) {
    const column = rows[kind] ?? [];
    column.push(...points, { x: points.at(-1)?.x ?? 0, y: null });
    rows[kind] = column;
  }
  return rows;
}

export function segmentPath(segments: readonly TraceSegment[], frame: Pick<PlotFrame, 'x' | 'y'>): string {
  return segments
    .map(({ points }) => stepPath(points.map(({ x, y }) => ({ x: frame.x(x), y: frame.y(y) }))))
    .join('');
}
