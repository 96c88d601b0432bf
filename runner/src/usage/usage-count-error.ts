/** The count that a number belongs to, in any vendor's shape. */
export type CountField =
  | 'inputTokens'
  | 'outputTokens'
  | 'cacheReadTokens'
  | 'cacheCreationTokens'
  | 'contextTokens';

/**
 * An invalid token count; no sum has changed. `invalid_count`: not a whole number from −(2^53−1) to 2^53−1.
 * `sum_overflow`: a sum would exceed 2^53−1.
 */
export class UsageCountError extends RangeError {
  /** Name of the class. */
  override readonly name = 'UsageCountError';

  constructor(
    /** Which of the two faults it is. */
    readonly code: 'invalid_count' | 'sum_overflow',
    /** The count that is wrong. */
    readonly field: CountField,
    /** The sentence of the error. */
    message: string,
  ) {
    super(message);
  }
}

/**
 * A reported count, tokens. Absent and null are 0; a negative count is returned unchanged.
 * @param written the vendor's name of the field, such as `usage.input_tokens`.
 * @throws UsageCountError for a fraction, NaN, a text or a number beyond ±(2^53−1), naming the field.
 */
export function requireCount(value: unknown, field: CountField, written: string = field): number {
  if (value === undefined || value === null) return 0;
  if (Number.isSafeInteger(value)) return Number(value);
  const shown = typeof value === 'number' ? String(value) : `a value of type ${typeof value}`;
  const message = `"${written}" must be a whole number from −(2^53−1) to 2^53−1, but is ${shown}`;
  throw new UsageCountError('invalid_count', field, message);
}

/** @throws UsageCountError for a size that is not a whole number from 0 to 2^53−1, naming the field. */
export function requireSize(value: unknown, field: CountField): void {
  if (requireCount(value, field) >= 0) return;
  throw new UsageCountError(
    'invalid_count',
    field,
    `"${field}" must not be below 0, but is ${String(value)}`,
  );
}

/** @throws UsageCountError for a sum above 2^53−1, naming the count that exceeds it. */
export function requireExactSum(a: number, b: number, field: CountField): number {
  if (b <= Number.MAX_SAFE_INTEGER - a) return a + b;
  throw new UsageCountError('sum_overflow', field, `"${field}" would make a sum exceed 2^53−1`);
}
