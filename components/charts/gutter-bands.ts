/** The gutter at the plot's right edge: one band per state, the current one in full strength. */
import type { PressureState } from '@/core/accounting/types';

export interface GutterBand {
  state: Extract<PressureState, 'nominal' | 'elevated' | 'warning' | 'critical' | 'redlined'>;
  /** Percent of the limit. */
  from: number;
  to: number;
}

const BOUNDS = [
  ['nominal', 0, 50],
  ['elevated', 50, 75],
  ['warning', 75, 85],
  ['critical', 85, 100],
  ['redlined', 100, Number.POSITIVE_INFINITY],
] as const;

/** @param top end of the axis, percent */
export function gutterBands(top: number): GutterBand[] {
  return BOUNDS.filter(([, from]) => from < top).map(([state, from, to]) => ({
    state,
    from,
    to: Math.min(to, top),
  }));
}
