/**
 * The torn hatch, sign of a compaction: two zigzag edges and 45° hatching between *before* and *after*.
 * Pure path data; the seed (the event's id) fixes the shape.
 */
import { seededRandom } from './seeded-random';
import { px } from './trace-path';

export interface TornEdgeOptions {
  seed: string;
  /** Pixels along the edge. */
  from: number;
  to: number;
  /** Where the edge runs on the other axis, pixels. */
  at: number;
  direction: 'vertical' | 'horizontal';
}

/** Zigzag path data: teeth of 3–7 px, 0.75–2.25 px to either side in turn. */
export function tornEdgePath({ seed, from, to, at, direction }: TornEdgeOptions): string {
  const random = seededRandom(seed);
  const parts: string[] = [];
  let along = from;
  let side = random() < 0.5 ? -1 : 1;
  while (along < to) {
    parts.push(corner(along, at + side * (0.75 + random() * 1.5), direction));
    side = -side;
    along += 3 + random() * 4;
  }
  parts.push(corner(to, at, direction));
  return `M${parts.join('L')}`;
}

function corner(along: number, across: number, direction: TornEdgeOptions['direction']): string {
  return direction === 'vertical' ? `${px(across)} ${px(along)}` : `${px(along)} ${px(across)}`;
}

export interface HatchBox {
  x: number;
  y: number;
  width: number;
  height: number;
  /** Pixels between strokes along the vertical; 4 on the barogram, 5 for unknown values. */
  spacing?: number;
}

/** 45° strokes, rising to the right, cut to the box: no clip path and no pattern id needed. */
export function hatchPath({ x, y, width, height, spacing = 4 }: HatchBox): string {
  if (width <= 0 || height <= 0) return '';
  const parts: string[] = [];
  const right = x + width;
  const bottom = y + height;
  // On each stroke x + y is constant; strokes sit on multiples of the spacing, so neighbours line up.
  for (let sum = Math.ceil((x + y) / spacing) * spacing; sum <= right + bottom; sum += spacing) {
    const startX = Math.max(x, sum - bottom);
    const endX = Math.min(right, sum - y);
    if (endX - startX < 0.25) continue;
    parts.push(`M${px(startX)} ${px(sum - startX)}L${px(endX)} ${px(sum - endX)}`);
  }
  return parts.join('');
}
