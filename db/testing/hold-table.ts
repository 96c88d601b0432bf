import { connect } from '../client';
import { findRunningEmbedded } from '../embedded/start-embedded';
import { transact } from '../transact';

/** Lock this table of the running embedded database, so that no query can read it until `run` ends. */
export async function holdTable<T>(dataFolder: string, table: string, run: () => Promise<T>) {
  const sql = connect(findRunningEmbedded(dataFolder) ?? '', 1);
  try {
    return await transact(sql, async (transaction) => {
      await transaction`lock table ${transaction(table)} in access exclusive mode`;
      return await run();
    });
  } finally {
    await sql.end({ timeout: 5 });
  }
}
