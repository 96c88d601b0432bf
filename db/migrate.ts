/**
 * Migrates under an advisory lock, because Drizzle's migrator fails when two processes run it at once.
 */
import { setTimeout as rest } from 'node:timers/promises';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import type postgres from 'postgres';
import { connect } from './client';
import { retryDeadlocks } from './retry-deadlocks';
import { transact } from './transact';

/** Key of the advisory lock: an arbitrary number that every version shares. */
const MIGRATION_LOCK = '7089056979330621805';
const LOCK_RETRY_MS = 100;

/** Oldest version of Postgres with the features that the schema and the queries use. */
const MIN_SERVER_VERSION = 150_000;

/** The first migration in the tag v0.1.0, before it got indexes that a later migration also creates. */
const TAGGED_FIRST = '9b561e181fc3d908cddc3208bdb3d6348deb7670ff5ddda9e6d5693e8221b17e';

/**
 * @throws an Error for the operator if the server is older than 15, if a newer or another version wrote the data, or if a
 * step fails. After an error no step is applied.
 */
export async function migrate(url: string, migrationsFolder: string): Promise<void> {
  // One connection holds the lock. The lock belongs to a transaction, because a pooler keeps no session.
  const client = connect(url, 2, { applicationName: 'barograph-migrate' });
  try {
    const [row] = await client<{ version: number; name: string }[]>`
      select current_setting('server_version_num')::int as version, current_setting('server_version') as name`;
    if (row && row.version < MIN_SERVER_VERSION) {
      throw new Error(`The database is PostgreSQL ${row.name}; Barograph needs 15 or newer.`);
    }
    const apply = async (lock: postgres.TransactionSql): Promise<boolean> => {
      const [row] = await lock<{ isOurs: boolean }[]>`
        select pg_try_advisory_xact_lock(${MIGRATION_LOCK}::bigint) as "isOurs",
          set_config('idle_in_transaction_session_timeout', '0', true)`;
      if (!row?.isOurs) return false;
      await refuseOtherVersions(client, migrationsFolder);
      await retryDeadlocks(() => applyMigrations(drizzle(client), { migrationsFolder })).catch(explain);
      return true;
    };
    // Who waits for the lock would hold a connection, of which a pooler may have few.
    while (!(await transact(client, apply))) await rest(LOCK_RETRY_MS);
  } finally {
    await client.end({ timeout: 5 });
  }
}

/** @throws always: Drizzle's message is the whole SQL text, and the cause has the actual error. */
function explain(error: unknown): never {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? cause.message : cause;
  throw new Error(`The database could not be migrated: ${reason}.`, { cause });
}

/** Data that another version's migrations wrote: a newer version added some, a development version changed the first. */
async function refuseOtherVersions(client: postgres.Sql, migrationsFolder: string): Promise<void> {
  const [table] = await client`select to_regclass('drizzle.__drizzle_migrations') is not null as exists`;
  if (!table?.exists) return;
  const known = readMigrationFiles({ migrationsFolder }).map(({ hash }) => hash);
  const rows = await client<{ hash: string }[]>`select hash from drizzle.__drizzle_migrations`;
  const applied = rows.map(({ hash }) => (hash === TAGGED_FIRST ? String(known[0]) : hash));
  if (applied.every((hash) => known.includes(hash))) return;
  if (known.every((hash) => applied.includes(hash))) {
    throw new Error(
      'A newer version of Barograph has upgraded this database. Start that version or a later one; this version ' +
        'cannot read or write the database safely.',
    );
  }
  throw new Error(
    'The data was written by another development version and cannot be upgraded. Move the data folder away ' +
      '(or point DATABASE_URL to an empty database), start the server, and import the transcripts again.',
  );
}
