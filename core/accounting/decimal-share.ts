/** A share as the fraction of its decimal digits: in binary 0.29 × 100 is a little less than 29. */
export interface DecimalShare {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** @param share finite and not negative, as in 0.9. */
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
