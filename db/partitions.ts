/**
 * Month partitions. Everything a session owns lies in the month of its first item, so retention drops tables
 * instead of deleting rows.
 *
 * A partition is built beside its parent and attached: that takes a lock under which ingest and reads of the
 * other months go on, where `CREATE TABLE … PARTITION OF` would stop them.
 */
import type postgres from 'postgres';
import { transact } from './transact';

/** Tables that are partitioned by month, and the storage settings of their partitions. */
const PARTITIONED_TABLES: Readonly<Record<string, string>> = {
  turns: '',
  reports: '',
  // Rewritten in place as their context, chain or bucket goes on: room for the new version on the same page.
  contexts: 'fillfactor = 80',
  chains: 'fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05',
  pyramid: 'fillfactor = 95',
  events: '',
  checkpoints: '',
  compositions: '',
};

/** The letters `partition`, as an advisory lock: any constant of its own will do. */
const PARTITION_LOCK = '8098991039861059956';

/** Months that a database is known to have, by the pool that was asked. Partitions only ever go with retention. */
const known = new WeakMap<postgres.Sql, Set<number>>();

/** Name of a table's partition. */
export function partitionName(table: string, month: number): string {
  return `${table}_m${month}`;
}

/**
 * Makes sure that the partitions of these months exist (months: year × 12 + month index from 0). Call it before the
 * transaction that writes to them: it uses one of its own.
 */
export async function ensureMonths(sql: postgres.Sql, months: Iterable<number>): Promise<void> {
  const have = known.get(sql) ?? new Set<number>();
  known.set(sql, have);
  for (const month of new Set(months)) {
    if (have.has(month)) continue;
    if (!Number.isInteger(month) || month < 0 || month > 32_767) throw new RangeError(`no month: ${month}`);
    await transact(sql, (tx) => createMonth(tx, month));
    have.add(month);
  }
}

async function createMonth(tx: postgres.TransactionSql, month: number): Promise<void> {
  await tx`select pg_advisory_xact_lock(${PARTITION_LOCK}::bigint)`;
  const names = Object.keys(PARTITIONED_TABLES).map((table) => partitionName(table, month));
  const existing = await tx<{ name: string }[]>`
    select relname as name from pg_class
    where relname = any(${names}) and relnamespace = current_schema()::regnamespace and relispartition`;
  const present = new Set(existing.map((row) => row.name));
  for (const [table, storage] of Object.entries(PARTITIONED_TABLES)) {
    const name = partitionName(table, month);
    if (present.has(name)) continue;
    await tx.unsafe(`create table ${name} (like ${table} including all)${storage && ` with (${storage})`}`);
    await tx.unsafe(`alter table ${table} attach partition ${name} for values in (${month})`);
  }
}
