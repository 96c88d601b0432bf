/**
 * Percentages of a limit, exact for every whole number of tokens: in binary 0.29 × 100 is a little less than 29,
 * and beyond 10^15 neighbouring shares of a limit are one and the same number. So a line is kept as the fraction
 * that its decimal digits say, and compared with whole numbers.
 */
export interface PercentLine {
  readonly percent: number;
  /** The line as a share of the limit: numerator / denominator. */
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** @param percent finite and not negative, as in 75 or 33.3. */
export function percentLine(percent: number): PercentLine {
  const [mantissa = '', exponent = '0'] = String(percent).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = BigInt(whole + fraction);
  const decimals = fraction.length - Number(exponent);
  return decimals >= 0
    ? { percent, numerator: digits, denominator: 100n * 10n ** BigInt(decimals) }
    : { percent, numerator: digits * 10n ** BigInt(-decimals), denominator: 100n };
}

/** Whether so many tokens are at or above the line. Without a limit (0 or less) no line is ever reached. */
export function reaches(tokens: number, maxTokens: number, line: PercentLine): boolean {
  if (maxTokens <= 0) return false;
  return BigInt(tokens) * line.denominator >= line.numerator * BigInt(maxTokens);
}

/** floor(line × limit), tokens; 0 without a limit. */
export function tokensAtLine(line: PercentLine, maxTokens: number): number {
  if (maxTokens <= 0) return 0;
  return Number((line.numerator * BigInt(maxTokens)) / line.denominator);
}

/** Percentage of the limit in use, never clamped; 0 without a limit, so never NaN or Infinity. */
export function percentOf(tokens: number, maxTokens: number): number {
  return maxTokens <= 0 ? 0 : (tokens * 100) / maxTokens;
}
