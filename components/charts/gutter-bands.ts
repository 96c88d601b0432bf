/** The gutter at the plot's right edge: one band per state, the current one in full strength. */
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import type { PressureState } from '@/core/accounting/types';
import type { StateBounds } from '@/core/api/session';

export interface GutterBand {
  state: Extract<PressureState, 'nominal' | 'elevated' | 'warning' | 'critical' | 'redlined'>;
  /** Percent of the limit. */
  from: number;
  to: number;
}

/** @param top end of the axis, percent */
export function gutterBands(top: number, bounds: Readonly<StateBounds> | null = null): GutterBand[] {
  const { elevated, warning, critical, redlined } = bounds ?? DEFAULT_THRESHOLDS;
  const starts = [
    ['nominal', 0],
    ['elevated', percent(elevated)],
    ['warning', percent(warning)],
    ['critical', percent(critical)],
    ['redlined', percent(redlined)],
  ] as const;
  return starts.flatMap(([state, from], index) => {
    const to = Math.min(starts[index + 1]?.[1] ?? top, top);
    return from < to ? [{ state, from, to }] : [];
  });
}

/** 0.29 as 29, and not as 28.999…96. */
function percent(share: number): number {
  return Math.round(share * 1e6) / 1e4;
}

export function bandOpacity(band: GutterBand['state'], state: PressureState): number {
  if (band === 'nominal') return band === state ? 0.5 : 0.16;
  return band === state ? 1 : 0.28;
}
