/** Step paths in pixels, used by every pressure trace: a value stays constant until the next turn. */

/** One reading in pixels. `y: null` is a gap; `breakBefore` starts a new sub-path (a new context). */
export interface TracePixel {
  x: number;
  y: number | null;
  breakBefore?: boolean;
}

export function stepPath(pixels: readonly TracePixel[], holdTo?: number): string {
  const parts: string[] = [];
  let open: { x: number; y: number } | null = null;
  for (const pixel of pixels) {
    if (pixel.y === null) {
      if (open) parts.push(`H${px(pixel.x)}`);
      open = null;
      continue;
    }
    if (!open || pixel.breakBefore) {
      parts.push(`M${px(pixel.x)} ${px(pixel.y)}`);
    } else {
      parts.push(`H${px(pixel.x)}`);
      if (px(pixel.y) !== px(open.y)) parts.push(`V${px(pixel.y)}`);
    }
    open = { x: pixel.x, y: pixel.y };
  }
  if (open && holdTo !== undefined && holdTo > open.x) parts.push(`H${px(holdTo)}`);
  return parts.join('');
}

/** The part of a trace after `fromX`, drawn again as the live end. It does not extend into an earlier context. */
export function cutTail(pixels: readonly TracePixel[], fromX: number): TracePixel[] {
  const tail: TracePixel[] = [];
  let standing: TracePixel | null = null;
  for (const pixel of pixels) {
    if (pixel.x <= fromX) {
      standing = pixel;
      continue;
    }
    if (tail.length === 0 && standing && standing.y !== null && !pixel.breakBefore) {
      tail.push({ x: fromX, y: standing.y });
    }
    tail.push(pixel);
  }
  if (tail.length === 0 && standing && standing.y !== null) return [{ x: fromX, y: standing.y }];
  return tail;
}

/** Round to hundredths, for short path data that is equal on server and browser. */
export function px(value: number): number {
  const rounded = Math.round(value * 100) / 100;
  return rounded === 0 ? 0 : rounded;
}
