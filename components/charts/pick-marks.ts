/** Chooses smaller marks for boundaries that are close together. */
import type { Boundary } from './list-marks';

export interface PlacedBoundary {
  boundary: Boundary;
  /** Pixels from the plot's left. */
  x: number;
  /**
   * `full`: torn strip or double rule; `slim`: a single stroke, where the strips would cover the trace; `tick`: a stroke
   * at the upper edge alone, where even these would.
   */
  size: 'full' | 'slim' | 'tick';
}

/** A strip is 9 px wide; closer than this, strips would touch and leave no room for a trace between them. */
const FULL_DISTANCE = 28;
/** Closer than this, strokes would be all there is to see. */
const SLIM_DISTANCE = 6;
/** Ticks closer than this are one. */
const TICK_DISTANCE = 2;

/** @param selectedId the opened event's boundary keeps its full mark */
export function pickMarks(
  boundaries: ReadonlyArray<{ boundary: Boundary; x: number }>,
  selectedId: string | null,
): PlacedBoundary[] {
  return boundaries.map(({ boundary, x }, index) => {
    const before = boundaries[index - 1];
    const after = boundaries[index + 1];
    const room = Math.min(
      before === undefined ? Number.POSITIVE_INFINITY : x - before.x,
      after === undefined ? Number.POSITIVE_INFINITY : after.x - x,
    );
    const isSelected = boundary.eventId !== null && boundary.eventId === selectedId;
    const size = isSelected || room >= FULL_DISTANCE ? 'full' : room >= SLIM_DISTANCE ? 'slim' : 'tick';
    return { boundary, x, size };
  });
}

/** All ticks as one path, one per two pixels at most. */
export function ticksPath(marks: readonly PlacedBoundary[], top: number): string {
  let path = '';
  let last = Number.NEGATIVE_INFINITY;
  for (const { x, size } of marks) {
    if (size !== 'tick' || x - last < TICK_DISTANCE) continue;
    last = x;
    path += `M${Math.round(x * 100) / 100} ${top}v${TICK_HEIGHT}`;
  }
  return path;
}

const TICK_HEIGHT = 6;
