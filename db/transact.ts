/**
 * A transaction that is rejected when its connection is lost. postgres.js alone keeps writing to the lost connection.
 * No promise then receives the error, and the pool loses a connection. This wrapper sends nothing after the loss.
 */
import type postgres from 'postgres';

/** Error codes of a lost connection. The driver rejects the transaction after each. */
const LOST = new Set(['CONNECTION_CLOSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

export type TransactionMode = 'read write' | 'isolation level repeatable read read only';

/**
 * A server with `synchronous_commit = off` loses committed transactions when it is killed. Set per transaction, because
 * a pooler drops settings of a connection. Other values are the operator's choice, and durable.
 */
const COMMIT_DURABLY = `
  select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'`;

/** @throws what the work throws; or the driver's error (code `CONNECTION_CLOSED`) when the connection was lost */
export async function transact<T>(
  sql: postgres.Sql,
  work: (tx: postgres.TransactionSql) => Promise<T>,
  mode: TransactionMode = 'read write',
): Promise<T> {
  let isOver = false;
  try {
    const result = await sql.begin(mode, async (tx) => {
      try {
        // Not awaited: the statement is sent together with the first statement of the work, which fails with it.
        if (mode === 'read write') tx.unsafe(COMMIT_DURABLY, [], { prepare: true }).catch(() => undefined);
        return { value: await work(guard(tx, () => isOver)) };
      } catch (error) {
        if (!isLost(error)) throw error;
        return new Promise<never>(() => undefined);
      }
    });
    return result.value;
  } finally {
    isOver = true;
  }
}

/** Wrap a client so that it throws after the end of the transaction instead of sending. */
function guard(tx: postgres.TransactionSql, isOver: () => boolean): postgres.TransactionSql {
  const check = (): void => {
    if (isOver()) throw Object.assign(new Error('The connection was lost.'), { code: 'CONNECTION_CLOSED' });
  };
  return new Proxy(tx, {
    apply(target, self, args) {
      check();
      return Reflect.apply(target, self, args);
    },
    get(target, name, self) {
      check();
      return Reflect.get(target, name, self);
    },
  });
}

function isLost(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && LOST.has(code);
}
