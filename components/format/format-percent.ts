/**
 * Shares of the limit. From 10 % on floored, never rounded: 49.9 % must not read `50 %` beside the word nominal.
 * Below it no state begins, and a whole percent is too coarse: rounded to one decimal.
 */

/** Lifts what binary fractions lose (0.29 × 100 = 28.999…) and is far below one token in ten million. */
const EPSILON = 1e-9;

const ONE_DECIMAL_BELOW = 0.1;
/** What rounds to 10.0 would read as more than a floored 10 % that follows it. */
const MOST_WITH_DECIMAL = 9.9;

/** The number without its unit: `3.2`, `49`, `103`, `<0.1` for something that is hardly more than nothing. */
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

/** Two decimals, floored, for hover: `3.18 %`. */
export function formatPercentExact(ratio: number): string {
  return `${(Math.floor(ratio * 10_000 + EPSILON) / 100).toFixed(2)}\u00a0%`;
}
