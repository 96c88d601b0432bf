/** Unbroken pieces of a trace in chart values, and the builder that keeps them as short as they can be. */

/**
 * `ink` what is known; `estimate` what the runner estimated; `unknown` the last known value where nothing is
 * known; `idle` the last value after the session fell silent; `live` a repaint of the live end.
 */
export type SegmentKind = 'ink' | 'estimate' | 'unknown' | 'idle' | 'live';

interface TracePoint {
  x: number;
  y: number;
}

export interface TraceSegment {
  kind: SegmentKind;
  context: number;
  /** Steps after each point; ascending x. */
  points: TracePoint[];
}

/** A row without a value ends the sub-path. */
interface TraceRow {
  x: number;
  y: number | null;
}

/** Rows per kind; a kind without pieces is not there, and costs no line. */
export type TraceRows = Partial<Record<SegmentKind, TraceRow[]>>;

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

  /** Adds a step. Points inside a level stretch say nothing and are merged. */
  step(x: number, y: number): void {
    if (!this.open) return;
    const { points } = this.open;
    const last = points[points.length - 1];
    const beforeLast = points[points.length - 2];
    if (last && beforeLast && last.y === y && beforeLast.y === y) last.x = x;
    else points.push({ x, y });
  }

  /** Holds the last value up to x and ends the piece. */
  end(x: number): void {
    const last = this.open?.points.at(-1);
    if (last && x > last.x) this.step(x, last.y);
    this.open = null;
  }
}

/** Copies the stretch from x on of the open context's known pieces, to be painted over the live end. */
export function liveTail(segments: readonly TraceSegment[], fromX: number): TraceSegment[] {
  const tails: TraceSegment[] = [];
  const open = segments.at(-1)?.context;
  for (const segment of segments) {
    if (segment.context !== open || (segment.kind !== 'ink' && segment.kind !== 'estimate')) continue;
    const last = segment.points.at(-1);
    if (!last || last.x < fromX) continue;
    const points: TracePoint[] = [];
    for (const point of segment.points) {
      if (point.x >= fromX) points.push(point);
      else points[0] = { x: fromX, y: point.y };
    }
    tails.push({ kind: 'live', context: segment.context, points });
  }
  return tails;
}

/** One row per point and one empty row after each piece, so that a new context is a new sub-path. */
export function toRows(segments: readonly TraceSegment[]): TraceRows {
  const rows: TraceRows = {};
  for (const { kind, points } of segments) {
    const last = points.at(-1);
    if (!last) continue;
    const column = rows[kind] ?? [];
    column.push(...points, { x: last.x, y: null });
    rows[kind] = column;
  }
  return rows;
}
