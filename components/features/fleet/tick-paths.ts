/** The barcode's ticks as a few paths instead of thousands of elements. */
import type { PressureState } from '@/core/accounting/types';
import type { Bin, Tick } from './prepare-barcode';

export interface TickPath {
  state: PressureState;
  faded: boolean;
  d: string;
}

/** Height of an over-limit tick above the plot, pixels. */
const RISE_PX = 9;
/** An idle session's tick is a stump of this share of the plot. */
const IDLE_SHARE = 0.4;

/**
 * Paths in the order in which the ticks are painted; neighbours of one look are joined. Ticks that would lie
 * on the same half pixel are drawn once.
 * @param height of the plot, pixels
 */
export function tickPaths(ticks: readonly Tick[], height: number): TickPath[] {
  const paths: TickPath[] = [];
  let drawn = new Set<string>();
  for (const { state, faded, idle, x } of ticks) {
    let path = paths.at(-1);
    if (path === undefined || path.state !== state || path.faded !== faded) {
      path = { state, faded, d: '' };
      paths.push(path);
      drawn = new Set();
    }
    const top = idle ? height * (1 - IDLE_SHARE) : state === 'redlined' && !faded ? -RISE_PX : 0;
    const stroke = `M${Math.round(x * 2) / 2} ${top}V${height}`;
    if (drawn.has(stroke)) continue;
    drawn.add(stroke);
    path.d += stroke;
  }
  return paths;
}

/** Bins as one outline from the ground; heights to a tenth of a pixel. */
export function binPath(bins: readonly Bin[], height: number): string {
  return bins
    .map(({ x, width, share }) => {
      const top = Math.round(height * (1 - share) * 10) / 10;
      return `M${x} ${height}V${top}h${width}V${height}z`;
    })
    .join('');
}
