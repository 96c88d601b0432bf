/**
 * A transaction that survives the loss of its connection. postgres.js writes to a lost one as if it were there;
 * such a write breaks outside any promise and leaves its place in the pool dead. So nothing is sent any more: the
 * end of the connection itself rejects the transaction.
 */
import type postgres from 'postgres';

/** What the driver and the system say of a connection that is gone; its end always follows. */
const LOST = new Set(['CONNECTION_CLOSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

export type TransactionMode = 'read write' | 'isolation level repeatable read read only';

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

/** The same client, until the transaction is over: from then on it throws instead of sending. */
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
