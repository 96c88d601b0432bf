/** The forecast as a cone, from the end of the trace to the boundary: early, likely and late. */
import { px } from './trace-path';

export interface ConeInput {
  x: number;
  y: number;
  boundaryY: number;
  /** Where it is met: at the range's low end, its middle, its high end. */
  lowX: number;
  midX: number;
  highX: number;
  /** What lies beyond is cut off. */
  right: number;
}

export interface Cone {
  fill: string;
  edges: string;
  middle: string;
  /** Where the boundary is met, on its line; null: beyond the right edge. */
  meets: { from: number; to: number } | null;
}

export function prepareCone({ x, y, boundaryY, lowX, midX, highX, right }: ConeInput): Cone {
  const ray = (meetX: number): [number, number] => {
    if (meetX <= right) return [meetX, boundaryY];
    return [right, y + ((boundaryY - y) * (right - x)) / (meetX - x)];
  };
  const [early, middle, late] = [ray(lowX), ray(midX), ray(highX)];
  const apex = `M${px(x)} ${px(y)}`;
  const to = ([toX, toY]: [number, number]) => `L${px(toX)} ${px(toY)}`;
  // Between an early edge that meets the line and a late one cut off lies the sheet's corner.
  const corner = lowX <= right && highX > right ? to([right, boundaryY]) : '';
  return {
    fill: `${apex}${to(early)}${corner}${to(late)}Z`,
    edges: `${apex}${to(early)}${apex}${to(late)}`,
    middle: `${apex}${to(middle)}`,
    meets: lowX <= right ? { from: px(lowX), to: px(Math.min(highX, right)) } : null,
  };
}
