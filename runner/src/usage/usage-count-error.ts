/** Largest count and largest sum that a JavaScript number still holds exactly: 2^53−1 tokens. */
const MAX_COUNT = Number.MAX_SAFE_INTEGER;

/** The count that a figure belongs to, whatever its vendor calls it. */
export type CountField =
  | 'inputTokens'
  | 'outputTokens'
  | 'cacheReadTokens'
  | 'cacheCreationTokens'
  | 'contextTokens';

/**
 * A token count that cannot be counted: nothing was added to any sum.
 * `invalid_count`: it is no whole number of at most 2^53−1 in size. `sum_overflow`: a sum would pass 2^53−1.
 */
export class UsageCountError extends RangeError {
  override readonly name = 'UsageCountError';

  constructor(
    readonly code: 'invalid_count' | 'sum_overflow',
    readonly field: CountField,
    message: string,
  ) {
    super(message);
  }
}

/**
 * A reported count, tokens. Absent and null count as 0; a negative one is returned unchanged.
 * @param written the field as its owner wrote it, such as `usage.input_tokens`.
 * @throws UsageCountError for a fraction, NaN, a text or a number beyond ±(2^53−1), naming the field.
 */
export function requireCount(value: unknown, field: CountField, written: string = field): number {
  if (value === undefined || value === null) return 0;
  if (Number.isSafeInteger(value)) return Number(value);
  const shown = typeof value === 'number' ? String(value) : `a value of type ${typeof value}`;
  throw new UsageCountError(
    'invalid_count',
    field,
    `"${written}" must be a whole number of at most 2^53−1 in size, and is ${shown}`,
  );
}

/** Refuses a size, tokens, that is no whole number from 0 to 2^53−1; absent is none. @throws UsageCountError naming the field. */
export function requireSize(value: unknown, field: CountField): void {
  if (requireCount(value, field) >= 0) return;
  throw new UsageCountError(
    'invalid_count',
    field,
    `"${field}" must not be below 0, and is ${String(value)}`,
  );
}

/** Refuses a sum, tokens, that is above 2^53−1. @throws UsageCountError naming the count that brings it there. */
export function requireExactSum(a: number, b: number, field: CountField): number {
  if (b <= MAX_COUNT - a) return a + b;
  throw new UsageCountError('sum_overflow', field, `"${field}" would bring a sum above 2^53−1`);
}
