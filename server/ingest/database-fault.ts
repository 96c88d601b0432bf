/** What a failed commit says about who is at fault: the database, the data, or the moment. */

export type DatabaseFault =
  /** Another transaction was in the way: the same work succeeds when it is tried again. */
  | 'transient'
  /** A value that the database cannot take: one of the items is at fault. */
  | 'data'
  /** The database is away, full, or stopping: nobody's item is at fault. */
  | 'unavailable'
  /** Anything else: a fault of this server. */
  | 'unknown';

const TRANSIENT = new Set(['40001', '40P01', '55P03']);
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

/** Judges by SQLSTATE (or the driver's code), never by a message. */
export function judgeFault(error: unknown): DatabaseFault {
  const code = codeOf(error);
  if (code === null) return 'unknown';
  if (TRANSIENT.has(code)) return 'transient';
  if (CONNECTION_CODES.has(code)) return 'unavailable';
  if (!/^[0-9A-Z]{5}$/.test(code)) return 'unknown';
  const group = code.slice(0, 2);
  // Connection, insufficient resources, operator intervention, system error; read-only (a standby).
  if (['08', '53', '57', '58'].includes(group) || code === '25006') return 'unavailable';
  // Data exception, constraint violation, program limit.
  if (['21', '22', '23', '54'].includes(group)) return 'data';
  return 'unknown';
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
