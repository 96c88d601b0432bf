/** The torn hatch of a compaction, as path data. The seed (the event's id) fixes its shape. */
import { px } from './trace-path';

interface TornEdgeOptions {
  seed: string;
  from: number;
  to: number;
  at: number;
  direction: 'vertical' | 'horizontal';
}

/** Zigzag path data: teeth 3–7 px long, alternating 0.75–2.25 px to either side. */
export function tornEdgePath({ seed, from, to, at, direction }: TornEdgeOptions): string {
  const random = seededRandom(seed);
  const corner = (along: number, across: number) =>
    direction === 'vertical' ? `${px(across)} ${px(along)}` : `${px(along)} ${px(across)}`;
  const parts: string[] = [];
  let along = from;
  let side = random() < 0.5 ? -1 : 1;
  while (along < to) {
    parts.push(corner(along, at + side * (0.75 + random() * 1.5)));
    side = -side;
    along += 3 + random() * 4;
  }
  return `M${[...parts, corner(to, at)].join('L')}`;
}

/** The same sequence on every render, in every browser. Not for security. */
function seededRandom(seed: string): () => number {
  let state = 0x811c9dc5;
  for (let i = 0; i < seed.length; i += 1) state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

interface HatchBox {
  x: number;
  y: number;
  width: number;
  height: number;
  /** Pixels between strokes along the vertical. */
  spacing?: number;
}

/** 45° strokes, rising to the right, cut to the box. */
export function hatchPath({ x, y, width, height, spacing = 4 }: HatchBox): string {
  if (width <= 0 || height <= 0) return '';
  const parts: string[] = [];
  const right = x + width;
  const bottom = y + height;
  // x + y of each stroke is a multiple of the spacing, so that the strokes of neighbouring boxes line up.
  for (let sum = Math.ceil((x + y) / spacing) * spacing; sum <= right + bottom; sum += spacing) {
    const startX = Math.max(x, sum - bottom);
    const endX = Math.min(right, sum - y);
    if (endX - startX >= 0.25) parts.push(`M${px(startX)} ${px(sum - startX)}L${px(endX)} ${px(sum - endX)}`);
  }
  return parts.join('');
}
