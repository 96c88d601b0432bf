/**
 * Session ids are below 2^53: 12 bits count the months from January 2020, 40 bits are a counter. Each session's rows
 * are in the partitions of its month, so that retention can drop whole tables. A partition is created as a separate
 * table and then attached, which does not block ingest of other months.
 */
import type postgres from 'postgres';
import { ownerOf } from './access';
import { transact } from './transact';

/** Ids of one month: 2^40. */
export const SESSIONS_PER_MONTH = 2 ** 40;
const FIRST_YEAR = 2020;
const MAX_MONTH = 2 ** 12 - 1;

/** Partitioned tables, and the storage settings of their partitions. */
export const PARTITIONED_TABLES = {
  turns: '',
  reports: '',
  // Rows with frequent updates need room for the new version on the same page.
  contexts: 'fillfactor = 80',
  chains: 'fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05',
  pyramid: 'fillfactor = 95',
  events: '',
  checkpoints: '',
  compositions: '',
  call_aliases: '',
  refuted_limits: '',
} as const;

const TABLES = Object.keys(PARTITIONED_TABLES) as (keyof typeof PARTITIONED_TABLES)[];

/** Key of the advisory lock: an arbitrary number that every process shares. */
const PARTITION_LOCK = '8098991039861059956';

/** Months with partitions, by connection pool. Another process may drop a month, so `lockMonths` checks. */
const known = new WeakMap<postgres.Sql, Set<number>>();

/** Month of a session in UTC, at least January 2020 and at most the next month: times beyond come from wrong clocks. */
export function monthAt(atMs: number, nowMs: number): number {
  return Math.min(Math.max(monthIndex(atMs), 0), monthIndex(nowMs) + 1, MAX_MONTH);
}

function monthIndex(ms: number): number {
  const date = new Date(ms);
  return (date.getUTCFullYear() - FIRST_YEAR) * 12 + date.getUTCMonth();
}

/** First millisecond of a month, UTC. */
export function monthStart(month: number): number {
  return Date.UTC(FIRST_YEAR, month);
}

function partitionName(table: string, month: number): string {
  return `${table}_m${month}`;
}

export async function listMonths(sql: postgres.ISql): Promise<number[]> {
  const rows = await sql<{ month: number }[]>`
    select substring(c.relname from '_m(\\d+)$')::int as month
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'turns'::regclass and c.relkind = 'r' order by 1`;
  return rows.map(({ month }) => month);
}

/** Drop the partitions of a month. Call `lockPartitions` first. */
export async function dropMonth(tx: postgres.TransactionSql, month: number): Promise<void> {
  await tx.unsafe(`drop table ${TABLES.map((table) => partitionName(table, month)).join(', ')}`);
}

/**
 * Create the missing partitions of these months, each in a separate transaction, because sessions of other months cannot be
 * created meanwhile. Call it before the transaction that writes to the partitions.
 */
export async function ensureMonths(sql: postgres.Sql, months: Iterable<number>): Promise<void> {
  const have = known.get(sql) ?? new Set<number>();
  known.set(sql, have);
  for (const month of new Set(months)) {
    if (have.has(month)) continue;
    await transact(ownerOf(sql), (tx) => createMonth(tx, month));
    have.add(month);
  }
}

/** Whether a session of this month makes `ensureMonths` look for its partitions, and perhaps create them. */
export function isNewMonth(sql: postgres.Sql, month: number): boolean {
  return known.get(sql)?.has(month) !== true;
}

export function forgetMonths(sql: postgres.Sql): void {
  known.delete(sql);
}

/** Prevent months from being dropped until the transaction ends. @returns whether all months have partitions */
export async function lockMonths(tx: postgres.TransactionSql, months: ReadonlySet<number>): Promise<boolean> {
  const names = [...months].map((month) => partitionName('turns', month));
  await tx`select pg_advisory_xact_lock_shared(${PARTITION_LOCK}::bigint)`;
  return (await existing(tx, names)).size === names.length;
}

async function createMonth(tx: postgres.TransactionSql, month: number): Promise<void> {
  await lockPartitions(tx);
  const present = await existing(
    tx,
    TABLES.map((table) => partitionName(table, month)),
  );
  const from = month * SESSIONS_PER_MONTH;
  for (const table of TABLES) {
    const name = partitionName(table, month);
    if (present.has(name)) continue;
    const storage = PARTITIONED_TABLES[table];
    await tx.unsafe(`create table ${name} (like ${table} including all)${storage && ` with (${storage})`}`);
    await tx.unsafe(
      `alter table ${table} attach partition ${name} for values from (${from}) to (${from + SESSIONS_PER_MONTH})`,
    );
  }
}

/**
 * Wait until no other transaction creates sessions, or creates or drops partitions. The lock lasts until the end of the
 * transaction.
 */
export async function lockPartitions(tx: postgres.TransactionSql): Promise<void> {
  await tx`select pg_advisory_xact_lock(${PARTITION_LOCK}::bigint)`;
}

async function existing(tx: postgres.TransactionSql, names: readonly string[]): Promise<Set<string>> {
  const rows = await tx<{ name: string }[]>`
    select relname as name from pg_class
    where relname = any(${[...names]}) and relnamespace = current_schema()::regnamespace and relispartition`;
  return new Set(rows.map((row) => row.name));
}
