import type { PressureState, Thresholds } from './types';

/**
 * Share of the limit in use, 0 to ∞, never clamped. Null: the size or the limit is unknown.
 * @param limitTokens 0 or less: the pressure is 0
 */
export function pressureOf(usedTokens: number | null, limitTokens: number | null): number | null {
  if (usedTokens === null || limitTokens === null) return null;
  return limitTokens <= 0 ? 0 : usedTokens / limitTokens;
}

/** The state for a pressure. Bounds are inclusive. */
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
 * A share as an exact fraction of its decimal digits, because 0.29 × 100 is less than 29 in binary.
 * @param share finite and not negative, as in 0.9
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

/** floor(share × whole). @param whole an integer, not negative */
export function floorOf({ numerator, denominator }: DecimalShare, whole: number): number {
  return Number((numerator * BigInt(whole)) / denominator);
}

/**
 * floor(line × limit), tokens, exact for every integer limit.
 * @param line share of the limit, 0 or more. Infinity: no number of tokens reaches the line.
 */
export function tokensAt(line: number, limitTokens: number): number {
  if (!Number.isFinite(line)) return line;
  return floorOf(decimalShare(line), Math.max(0, limitTokens));
}

/** max(0, floor(line × limit) − used), tokens. */
export function tokensUntil(line: number, limitTokens: number, usedTokens: number): number {
  return Math.max(0, tokensAt(line, limitTokens) - usedTokens);
}

/** max(0, limit − used), tokens. */
export function tokensRemaining(limitTokens: number, usedTokens: number): number {
  return Math.max(0, limitTokens - usedTokens);
}

/** Whether this many more tokens fit into the limit. */
export function hasRoomFor(tokens: number, limitTokens: number, usedTokens: number): boolean {
  return tokensRemaining(limitTokens, usedTokens) >= tokens;
}

/** Warning or worse. */
export function isConcerning(state: PressureState): boolean {
  return state === 'warning' || state === 'critical' || state === 'redlined';
}

/** Whether the limit is reached or exceeded. */
export function needsReset(state: PressureState): boolean {
  return state === 'redlined';
}
