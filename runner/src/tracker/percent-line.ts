/** Percentages of a limit, exact for every whole number of tokens. */
import { type DecimalShare, decimalShare, floorOf } from '../../../core/accounting/decimal-share';

/** The line as a share of the limit. */
export interface PercentLine extends DecimalShare {
  readonly percent: number;
}

/** @param percent finite and not negative, as in 75 or 33.3. */
export function percentLine(percent: number): PercentLine {
  const { numerator, denominator } = decimalShare(percent);
  return { percent, numerator, denominator: denominator * 100n };
}

/** Whether so many tokens are at or above the line. Without a limit (0 or less) no line is ever reached. */
export function reaches(tokens: number, maxTokens: number, line: PercentLine): boolean {
  if (maxTokens <= 0) return false;
  return BigInt(tokens) * line.denominator >= line.numerator * BigInt(maxTokens);
}

/** floor(line × limit), tokens; 0 without a limit. */
export function tokensAtLine(line: PercentLine, maxTokens: number): number {
  return floorOf(line, Math.max(0, maxTokens));
}

/** Percentage of the limit in use, never clamped; 0 without a limit, so never NaN or Infinity. */
export function percentOf(tokens: number, maxTokens: number): number {
  return maxTokens <= 0 ? 0 : (tokens * 100) / maxTokens;
}
