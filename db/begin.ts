/** How a transaction of the driver begins and ends. */
import type postgres from 'postgres';

type Work = (tx: postgres.TransactionSql) => unknown;
type Begin = (mode: string, work: Work) => Promise<unknown>;

/**
 * Error codes of a lost connection, also those with which PostgreSQL ends a connection (57P01, 57P02). The driver rejects
 * the transaction after each.
 */
const LOST = new Set(['CONNECTION_CLOSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', '57P01', '57P02']);

/** PostgreSQL rolled back instead: nothing is stored. */
class NotCommittedError extends Error {
  readonly code = 'NOT_COMMITTED';
  constructor(answer: string) {
    super(`PostgreSQL answered a COMMIT with ${answer}.`);
    this.name = 'NotCommittedError';
  }
}

/** Never settles: the driver rejects the transaction itself. */
export const rejected = () => new Promise<never>(() => undefined);

export function codeOf(error: unknown): string {
  return error instanceof Error ? String((error as { code?: unknown }).code) : '';
}

/**
 * The driver's `begin` resolves whatever PostgreSQL answers to the COMMIT. It answers ROLLBACK if a statement failed
 * before, even one of the driver's own: behind a pooler, the COMMIT itself, when it is a prepared statement.
 * @returns a `begin` that sends the end of the transaction itself, and throws an error with the code `NOT_COMMITTED`
 */
export function checkCommits(begin: unknown): postgres.Sql['begin'] {
  async function run(tx: postgres.TransactionSql, work: Work): Promise<unknown> {
    let value: unknown;
    try {
      value = await work(tx);
    } catch (error) {
      if (LOST.has(codeOf(error))) return rejected();
      await tx.unsafe('rollback');
      throw error;
    }
    const { command } = await tx.unsafe<postgres.Row[]>('commit');
    if (command !== 'COMMIT') throw new NotCommittedError(command);
    return value;
  }
  const checked = (...[mode, given]: [string | Work, Work?]) =>
    new Promise<unknown>((resolve, reject) => {
      const [work, options] = typeof mode === 'string' ? [given as Work, mode] : [mode, ''];
      const begun = (begin as Begin)(options, (tx) => {
        run(tx, work).then(resolve, reject);
        // The driver would send a further COMMIT.
        return rejected();
      });
      begun.catch(reject);
    });
  return checked as postgres.Sql['begin'];
}

/** The driver's connection, as far as its own `begin` uses it. */
interface Connection {
  /** Rejects the transaction. */
  onclose?: ((error: unknown) => void) | null;
}

type Begun = (connection: Connection) => void;

/**
 * Begins a transaction so that its first statements follow the BEGIN without waiting for the answer. The driver alone
 * waits, which costs a round trip per transaction.
 *
 * After a BEGIN that failed, PostgreSQL runs each statement in its own transaction. Therefore the work must start with
 * statements that change nothing, and await them.
 * @param begin calls the driver's `begin` of this client
 * @param onFailure called in this case, before the work gets any answer
 */
export function beginEarly<T>(sql: postgres.Sql, begin: () => T, onFailure: () => void): T {
  const { unsafe } = sql;
  // The driver's `begin` calls this once, before it returns.
  sql.unsafe = ((text: string, values: [], { onexecute }: { onexecute: Begun }) => {
    let isSent: Begun = () => undefined;
    const sent = new Promise<Connection>((resolve) => {
      isSent = resolve;
    });
    const note: Begun = (connection) => {
      onexecute(connection);
      isSent(connection);
    };
    const query = unsafe(text, values, { onexecute: note } as object);
    return {
      async execute() {
        query.execute();
        query.catch(async (error) => {
          onFailure();
          (await sent).onclose?.(error);
        });
        // Until this second call, the driver sends nothing more over the connection.
        await Promise.race([query, sent.then(onexecute)]);
      },
    };
  }) as unknown as typeof unsafe;
  try {
    return begin();
  } finally {
    sql.unsafe = unsafe;
  }
}
