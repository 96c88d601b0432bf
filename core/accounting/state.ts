import type { PressureState, Thresholds } from './types';

/**
 * Share of the limit in use, 0 to ∞ and never clamped: an overshot limit reads above 1.
 * @param usedTokens null: unknown. @param limitTokens null: no limit is known; 0 or less reads 0.
 */
export function pressureOf(usedTokens: number | null, limitTokens: number | null): number | null {
  if (usedTokens === null || limitTokens === null) return null;
  return limitTokens <= 0 ? 0 : usedTokens / limitTokens;
}

/** State of a pressure; bounds are inclusive. */
export function stateOf(pressure: number | null, thresholds: Readonly<Thresholds>): PressureState {
  if (pressure === null) return 'unknown';
  if (pressure >= thresholds.redlined) return 'redlined';
  if (pressure >= thresholds.critical) return 'critical';
  if (pressure >= thresholds.warning) return 'warning';
  if (pressure >= thresholds.elevated) return 'elevated';
  return 'nominal';
}

/**
 * floor(line × limit), tokens. The product is rounded to 15 digits first: 0.29 × 100 is
 * 28.999999999999996 in binary, and the line lies at 29.
 */
export function tokensAt(line: number, limitTokens: number): number {
  const exact = line * limitTokens;
  return Math.floor(exact < 1e15 ? Number(exact.toPrecision(15)) : exact);
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
