import type { PressureState, Thresholds } from './types';

/**
 * Share of the limit in use, 0 to ∞ and never clamped: an overshot limit reads above 1.
 * @param usedTokens null: unknown. @param limitTokens null: no limit is known; 0 or less reads 0.
 */
export function pressureOf(usedTokens: number | null, limitTokens: number | null): number | null {
  if (usedTokens === null || limitTokens === null) return null;
  return limitTokens <= 0 ? 0 : usedTokens / limitTokens;
}

/** The state for a pressure. A pressure equal to a bound has reached it. */
export function stateOf(pressure: number | null, thresholds: Readonly<Thresholds>): PressureState {
  if (pressure === null) return 'unknown';
  if (pressure >= thresholds.redlined) return 'redlined';
  if (pressure >= thresholds.critical) return 'critical';
  if (pressure >= thresholds.warning) return 'warning';
  if (pressure >= thresholds.elevated) return 'elevated';
  return 'nominal';
}

interface DecimalShare {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/**
 * A share as the fraction of its decimal digits: in binary 0.29 × 100 is a little less than 29.
 * @param share finite and not negative, as in 0.9.
 */
export function decimalShare(share: number): DecimalShare {
  const [mantissa = '', exponent = '0'] = String(share).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = BigInt(whole + fraction);
  const decimals = fraction.length - Number(exponent);
  return decimals >= 0
    ? { numerator: digits, denominator: 10n ** BigInt(decimals) }
    : { numerator: digits * 10n ** BigInt(-decimals), denominator: 1n };
}

/** floor(share × whole). @param whole a whole number, not negative. */
export function floorOf({ numerator, denominator }: DecimalShare, whole: number): number {
  return Number((numerator * BigInt(whole)) / denominator);
}

/**
 * floor(line × limit), tokens, exact for every whole limit.
 * @param line share of the limit, 0 or more; Infinity: no number of tokens reaches it.
 */
export function tokensAt(line: number, limitTokens: number): number {
  if (!Number.isFinite(line)) return line;
  return floorOf(decimalShare(line), Math.max(0, limitTokens));
}

/** max(0, floor(line × limit) − used), tokens. */
export function tokensUntil(line: number, limitTokens: number, usedTokens: number): number {
  return Math.max(0, tokensAt(line, limitTokens) - usedTokens);
}

export function tokensRemaining(limitTokens: number, usedTokens: number): number {
  return Math.max(0, limitTokens - usedTokens);
}

export function hasRoomFor(tokens: number, limitTokens: number, usedTokens: number): boolean {
  return tokensRemaining(limitTokens, usedTokens) >= tokens;
}

/** From warning on. */
export function isConcerning(state: PressureState): boolean {
  return state === 'warning' || state === 'critical' || state === 'redlined';
}

export function needsReset(state: PressureState): boolean {
  return state === 'redlined';
}
