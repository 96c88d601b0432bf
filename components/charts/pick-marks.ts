/** Which boundaries get a full mark where many stand close together. */
import type { Boundary } from './list-boundaries';

export interface PlacedBoundary {
  boundary: Boundary;
  /** Pixels from the plot's left. */
  x: number;
  /** `full`: torn strip or double rule; `slim`: a single stroke, where the strips would cover the trace. */
  size: 'full' | 'slim';
}

/** A strip is 9 px wide; closer than this, strips would touch and leave no room for a trace between them. */
const FULL_DISTANCE = 28;

/** @param selectedId the opened event's boundary keeps its full mark wherever it stands */
export function pickMarks(
  boundaries: ReadonlyArray<{ boundary: Boundary; x: number }>,
  selectedId: string | null,
): PlacedBoundary[] {
  return boundaries.map(({ boundary, x }, index) => {
    const before = boundaries[index - 1];
    const after = boundaries[index + 1];
    const crowded =
      (before !== undefined && x - before.x < FULL_DISTANCE) ||
      (after !== undefined && after.x - x < FULL_DISTANCE);
    return { boundary, x, size: crowded && boundary.eventId !== selectedId ? 'slim' : 'full' };
  });
}
