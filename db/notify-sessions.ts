import type postgres from 'postgres';
import { hint, noHints } from './hints';
import type { TouchedSession } from './ingest/types';

/** Notify the other server processes of the changed sessions after the transaction commits. */
export async function notifySessions(
  tx: postgres.TransactionSql,
  touched: readonly TouchedSession[],
): Promise<void> {
  hint(tx, { ...noHints(), sessions: new Map(touched.map(({ publicId, version }) => [publicId, version])) });
}
