/** Distributes the items of sessions over the workers of a Citus cluster. Both run the same statements. */
import { connect } from './client';
import { lockPartitions, PARTITIONED_TABLES } from './partitions';
import { transact } from './transact';

/** Rows of a session that are stored together on one worker. All other tables stay on the coordinator. */
const BY_SESSION = [...Object.keys(PARTITIONED_TABLES), 'session_history'];

/** @throws an Error for the operator. After an error, nothing is distributed. */
export async function distribute(url: string): Promise<void> {
  const sql = connect(url, 1, { applicationName: 'barograph-distribute' });
  try {
    const [found] = await sql`
      select to_regclass('pg_dist_partition') is null as plain, to_regclass('turns') is null as empty`;
    if (found?.plain)
      throw new Error('The database has no Citus: run CREATE EXTENSION citus, and add workers.');
    if (found?.empty) throw new Error('The database has no tables. Start the server once before.');
    await transact(sql, async (tx) => {
      await lockPartitions(tx);
      await tx`select set_config('citus.multi_shard_modify_mode', 'sequential', true)`;
      const policies =
        await tx`select format('drop policy %I on %s', polname, polrelid::regclass) as text from pg_policy`;
      for (const { text } of policies) await tx.unsafe(text);
      for (const table of BY_SESSION) await tx.unsafe(`alter table ${table} disable row level security`);
      const isLocal = (table: string) =>
        tx`not exists (select from pg_dist_partition where logicalrelid = ${table}::regclass)`;
      await tx`select create_reference_table('models') where ${isLocal('models')}`;
      for (const table of BY_SESSION)
        await tx`
          select create_distributed_table(${table}::regclass, 'session_id', colocate_with => ${table === 'turns' ? 'default' : 'turns'})
          where ${isLocal(table)}`;
    });
  } finally {
    await sql.end({ timeout: 5 });
  }
}
