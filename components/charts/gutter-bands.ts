/** The gutter at the plot's right edge: one band per state, the current one at full strength. */
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import type { PressureState, StateBounds } from '@/core/accounting/types';

const STATES = ['nominal', 'elevated', 'warning', 'critical', 'redlined'] as const;

export function gutterBands(top: number, bounds: Readonly<StateBounds> | null = null) {
  const shares = { nominal: 0, ...(bounds ?? DEFAULT_THRESHOLDS) };
  // Rounded, because 0.29 × 100 is 28.999…96.
  const starts = STATES.map((state) => Math.round(shares[state] * 1e6) / 1e4);
  return STATES.flatMap((state, index) => {
    const from = starts[index] ?? top;
    const to = Math.min(starts[index + 1] ?? top, top);
    return from < to ? [{ state, from, to }] : [];
  });
}

export function bandOpacity(band: (typeof STATES)[number], state: PressureState): number {
  if (band === 'nominal') return band === state ? 0.5 : 0.16;
  return band === state ? 1 : 0.28;
}
