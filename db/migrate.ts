/**
 * Of any number of processes that start at once one migrates, under an advisory lock: Drizzle's migrator fails when
 * two of them run it.
 */
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import { connect } from './client';

/** Any constant will do, as long as nothing else in the database uses it: the letters `barogram`. */
const MIGRATION_LOCK = '7089056979330621805';

/** Oldest Postgres whose features the schema and the queries use. */
const MIN_SERVER_VERSION = 150_000;

/** @throws an Error for the operator when the server is older than 15, or when a step fails; none is then applied */
export async function migrate(url: string, migrationsFolder: string): Promise<void> {
  // One connection: the advisory lock belongs to it, and the migrator must use the same one.
  const client = connect(url, 1, { applicationName: 'barograph-migrate' });
  try {
    const [row] = await client<{ version: number; name: string }[]>`
      select current_setting('server_version_num')::int as version, current_setting('server_version') as name`;
    if (row && row.version < MIN_SERVER_VERSION) {
      throw new Error(`The database is PostgreSQL ${row.name}; Barograph needs 15 or newer.`);
    }
    await client`select pg_advisory_lock(${MIGRATION_LOCK}::bigint)`;
    try {
      await applyMigrations(drizzle(client), { migrationsFolder });
    } catch (error) {
      // Drizzle's message is the whole SQL; what went wrong is in the cause.
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw new Error(
        `The database could not be migrated: ${cause instanceof Error ? cause.message : cause}.`,
        {
          cause,
        },
      );
    } finally {
      await client`select pg_advisory_unlock(${MIGRATION_LOCK}::bigint)`;
    }
  } finally {
    await client.end({ timeout: 5 });
  }
}
