/** What an error says about the batch: try again, take it apart, or give up. */

/** Serialization failure, deadlock, lock not available. */
const TRANSIENT = new Set(['40001', '40P01', '55P03']);
/** Data exception, integrity violation, limit of the program: one of the items is at fault. */
const POISON_CLASSES = new Set(['22', '23', '54']);

/** Whether the same batch may well succeed the next time. */
export function isTransient(error: unknown): boolean {
  const code = sqlState(error);
  return code !== null && TRANSIENT.has(code);
}

/**
 * Whether one of the items is to blame, and not the database: Postgres refused a value, or our own code met one
 * that it cannot handle. Such an item must not take its neighbours down.
 */
export function isPoison(error: unknown): boolean {
  const code = sqlState(error);
  if (code !== null) return POISON_CLASSES.has(code.slice(0, 2));
  return error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError;
}

function sqlState(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : null;
}
