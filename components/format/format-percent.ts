/**
 * Shares of the limit. From 10 % they are floored: 49.9 % must not read `50 %` beside the word nominal. Below 10 % they
 * are rounded to one decimal.
 */

/** Corrects binary fractions (0.29 × 100 = 28.999…). */
const EPSILON = 1e-9;

const ONE_DECIMAL_BELOW = 0.1;
/** A value below 10 % must not be shown as 10.0. */
const MOST_WITH_DECIMAL = 9.9;

/** Without the unit: `3.2`, `49`, `103`; `<0.1` for smaller values. */
export function formatPercentValue(ratio: number): string {
  if (ratio > 0 && ratio < ONE_DECIMAL_BELOW - EPSILON) {
    const rounded = Math.min(Math.round(ratio * 1_000 + EPSILON) / 10, MOST_WITH_DECIMAL);
    return rounded === 0 ? '<0.1' : rounded.toFixed(1);
  }
  const whole = Math.floor(ratio * 100 + EPSILON);
  return whole >= 10_000 ? whole.toLocaleString('en-US').replaceAll(',', '\u202f') : String(whole);
}

/** `49 %`, `3.2 %`. */
export function formatPercent(ratio: number): string {
  return `${formatPercentValue(ratio)}\u00a0%`;
}

/** Two decimals, floored: `3.18 %`. */
export function formatPercentExact(ratio: number): string {
  return `${(Math.floor(ratio * 10_000 + EPSILON) / 100).toFixed(2)}\u00a0%`;
}
