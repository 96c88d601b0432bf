import type postgres from 'postgres';
import { transact } from '../../transact';

/**
 * Runs a query of segments by their terms. The planner counts neither that terms lie outside of their rows nor what it
 * takes to unpack them, and would rather look at every row than use the index: it may not.
 */
export function withTermsIndex<T>(
  sql: postgres.Sql,
  query: (tx: postgres.TransactionSql) => Promise<T>,
): Promise<T> {
  return transact(
    sql,
    async (tx) => {
      await tx`select set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)`;
      return query(tx);
    },
    'isolation level repeatable read read only',
  );
}
