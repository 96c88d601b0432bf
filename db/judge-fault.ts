/** Classifies why a statement or transaction failed. */

export type DatabaseFault =
  /** A conflict with another transaction. A retry succeeds. */
  | 'transient'
  /** A value that the database or our code cannot process. An item causes the failure. */
  | 'data'
  /** The database is unavailable, full, or stopping. No item causes the failure. */
  | 'unavailable'
  /** Anything else: a bug in this server. */
  | 'unknown';

/** Serialization failure, deadlock, lock not available; a COMMIT that PostgreSQL answered with ROLLBACK. */
const TRANSIENT = new Set(['40001', '40P01', '55P03', 'NOT_COMMITTED']);
/** Cardinality violation, data exception, constraint violation, program limit exceeded. */
const DATA_CLASSES = new Set(['21', '22', '23', '54']);
/** Connection, insufficient resources, operator intervention, system error. */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58']);
/** A write in a read-only transaction, as on a standby. */
const READ_ONLY = '25006';
/** A statement exceeded its time limit. Other statements need not. */
const STATEMENT_TIMEOUT = '57014';
/** Error codes of the driver and the system for an unreachable database, and of an unreachable archive store. */
const CONNECTION_CODES = new Set([
  'ARCHIVE_STORE',
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

/** Classifies by SQLSTATE or the driver's code, never by a message. Without a code, the type of the error decides. */
export function judgeFault(error: unknown): DatabaseFault {
  const code = codeOf(error);
  if (code !== null) {
    if (TRANSIENT.has(code)) return 'transient';
    if (CONNECTION_CODES.has(code) || code === READ_ONLY) return 'unavailable';
    if (/^[0-9A-Z]{5}$/.test(code)) {
      if (code === STATEMENT_TIMEOUT) return 'unknown';
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
