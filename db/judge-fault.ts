/** Cause of a failed statement or transaction: the database, the data, or the moment. */

export type DatabaseFault =
  /** A conflict with another transaction: a retry succeeds. */
  | 'transient'
  /** A value that the database or our code cannot process: an item is at fault. */
  | 'data'
  /** The database is unavailable, full, or stopping: no item is at fault. */
  | 'unavailable'
  /** Anything else: a fault of this server. */
  | 'unknown';

/** Serialization failure, deadlock, lock not available. */
const TRANSIENT = new Set(['40001', '40P01', '55P03']);
/** Cardinality, data exception, constraint violation, program limit. */
const DATA_CLASSES = new Set(['21', '22', '23', '54']);
/** Connection, insufficient resources, operator intervention, system error. */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58']);
/** A transaction that may only read: a standby. */
const READ_ONLY = '25006';
/** Error codes of driver and system for an unreachable database. */
const CONNECTION_CODES = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Judges by SQLSTATE (or the driver's code), never by a message; without either, by the kind of error. */
export function judgeFault(error: unknown): DatabaseFault {
  const code = codeOf(error);
  if (code !== null) {
    if (TRANSIENT.has(code)) return 'transient';
    if (CONNECTION_CODES.has(code) || code === READ_ONLY) return 'unavailable';
    if (/^[0-9A-Z]{5}$/.test(code)) {
      const group = code.slice(0, 2);
      if (UNAVAILABLE_CLASSES.has(group)) return 'unavailable';
      return DATA_CLASSES.has(group) ? 'data' : 'unknown';
    }
  }
  const isOurs = error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError;
  return isOurs ? 'data' : 'unknown';
}

function codeOf(error: unknown): string | null {
  for (
    let cause: unknown = error, depth = 0;
    cause instanceof Error && depth < 5;
    cause = cause.cause, depth += 1
  ) {
    const { code } = cause as { code?: unknown };
    if (typeof code === 'string') return code;
    if (cause instanceof AggregateError) return codeOf(cause.errors[0]);
  }
  return null;
}
