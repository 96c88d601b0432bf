/**
 * Begins a transaction so that its first statements follow the BEGIN without waiting for the answer. The driver alone
 * waits, which costs a round trip per transaction.
 */
import type postgres from 'postgres';

/** The driver's connection, as far as its own `begin` uses it. */
interface Connection {
  /** Rejects the transaction. */
  onclose?: ((error: unknown) => void) | null;
}

type Begun = (connection: Connection) => void;

/**
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
