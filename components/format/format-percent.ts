/**
 * Shares of the limit. Floored, never rounded: 49.9 % must not read `50 %` beside the word nominal.
 */

/** Lifts what binary fractions lose (0.29 × 100 = 28.999…) and is far below one token in ten million. */
const EPSILON = 1e-9;

/** The whole percents of a share: 0.499 → 49. */
export function floorPercent(ratio: number): number {
  return Math.floor(ratio * 100 + EPSILON);
}

/** The number without its unit: `49`, `103`, `<1` for something between 0 and 1 %. */
export function formatPercentValue(ratio: number): string {
  if (ratio > 0 && ratio < 0.01) return '<1';
  const whole = floorPercent(ratio);
  return whole >= 10_000 ? whole.toLocaleString('en-US').replaceAll(',', '\u202f') : String(whole);
}

/** `49 %`. */
export function formatPercent(ratio: number): string {
  return `${formatPercentValue(ratio)}\u00a0%`;
}

/** Two decimals, floored, for hover: `3.18 %`. */
export function formatPercentExact(ratio: number): string {
  return `${(Math.floor(ratio * 10_000 + EPSILON) / 100).toFixed(2)}\u00a0%`;
}
