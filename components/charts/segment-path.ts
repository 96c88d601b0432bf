import type { PlotFrame } from './plot-frame';
import { stepPath } from './trace-path';
import type { TraceSegment } from './trace-segments';

/** Pieces of a trace as one path in pixels. */
export function segmentPath(segments: readonly TraceSegment[], frame: Pick<PlotFrame, 'x' | 'y'>): string {
  return segments
    .map(({ points }) => stepPath(points.map(({ x, y }) => ({ x: frame.x(x), y: frame.y(y) }))))
    .join('');
}
