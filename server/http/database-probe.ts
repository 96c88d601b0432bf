/**
 * Whether PostgreSQL answers. A frozen PostgreSQL keeps its connections open and answers nothing, so no query
 * fails. Owns one connection, because a query that waits for a place in a busy pool proves nothing.
 */
import type postgres from 'postgres';

export interface DatabaseProbe {
  /** False after two seconds without an answer. */
  answers(): Promise<boolean>;
}

const TIMEOUT_MS = 2_000;

/** @param sql a client with one connection, for this probe alone */
export function createDatabaseProbe(sql: postgres.Sql): DatabaseProbe {
  /** One query for all callers: while the database is frozen, no others queue up behind it. */
  let asked: Promise<boolean> | null = null;

  function ask(): Promise<boolean> {
    asked ??= sql`select 1`
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        asked = null;
      });
    return asked;
  }

  return {
    answers() {
      const answer = ask();
      return new Promise((resolve) => {
        // An answer that arrived while this process was busy is read before the immediate runs.
        const timer = setTimeout(() => setImmediate(resolve, false), TIMEOUT_MS);
        void answer.then(resolve).finally(() => clearTimeout(timer));
      });
    },
  };
}
