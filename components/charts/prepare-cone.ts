/** The forecast as a cone, from the end of the trace to the boundary: early, likely and late. */
import { px } from './trace-path';

/** In pixels: the end of the trace (`x`, `y`), the boundary with the x of its three rays, and the plot's right edge. */
type ConeInput = Record<'x' | 'y' | 'boundaryY' | 'lowX' | 'midX' | 'highX' | 'right', number>;

export function prepareCone({ x, y, boundaryY, lowX, midX, highX, right }: ConeInput) {
  const ray = (meetX: number): [number, number] => {
    if (meetX <= right) return [meetX, boundaryY];
    return [right, y + ((boundaryY - y) * (right - x)) / (meetX - x)];
  };
  const [early, middle, late] = [ray(lowX), ray(midX), ray(highX)];
  const apex = `M${px(x)} ${px(y)}`;
  const to = ([toX, toY]: [number, number]) => `L${px(toX)} ${px(toY)}`;
  // If only the late edge is cut off, the fill includes the corner.
  const corner = lowX <= right && highX > right ? to([right, boundaryY]) : '';
  return {
    fill: `${apex}${to(early)}${corner}${to(late)}Z`,
    edges: `${apex}${to(early)}${apex}${to(late)}`,
    middle: `${apex}${to(middle)}`,
    meets: lowX <= right ? { from: px(lowX), to: px(Math.min(highX, right)) } : null,
  };
}
