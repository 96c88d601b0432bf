/** A migrated database for one test file: a copy of the run's template (about 20 ms). */
import { randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import { afterAll, inject } from 'vitest';
import { connect } from '../client';

export interface TestDatabase {
  /** For a second client, or a server process under test. */
  url: string;
  sql: postgres.Sql;
  /**
   * Closes the client and drops the database.
   *
   * @throws if another connection is still open, because the tested code leaked it
   */
  close(): Promise<void>;
}

interface Connection {
  pid: number;
  application: string;
  query: string;
}

/** Long enough for a busy machine: only a leak waits this long. */
const LEAK_TIMEOUT_MS = 60_000;

/** The database of a test file, closed after its tests. Call it at the file's top level. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  afterAll(() => database.close());
  return database;
}

export async function createTestDatabase({ maxConnections = 4 } = {}): Promise<TestDatabase> {
  const { adminUrl, template } = inject('testDatabase');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await withAdmin(
    adminUrl,
    (admin) => admin`create database ${admin(name)} template ${admin(template)} strategy file_copy`,
  );
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const sql = connect(url.href, maxConnections);
  return {
    url: url.href,
    sql,
    async close() {
      await sql.end({ timeout: 5 });
      await withAdmin(adminUrl, async (admin) => {
        const leaked = await waitForConnectionsToEnd(admin, name);
        await admin`drop database ${admin(name)} with (force)`;
        if (leaked.length > 0) throw new Error(`Leaked connections: ${JSON.stringify(leaked)}`);
      });
    },
  };
}

/** A closed connection takes a moment to leave the server's list. */
async function waitForConnectionsToEnd(admin: postgres.Sql, name: string): Promise<readonly Connection[]> {
  const deadline = Date.now() + LEAK_TIMEOUT_MS;
  for (;;) {
    const open = await admin<Connection[]>`
      select pid, application_name as application, left(query, 200) as query
      from pg_stat_activity where datname = ${name} and backend_type = 'client backend'`;
    if (open.length === 0 || Date.now() > deadline) return open;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function withAdmin(adminUrl: string, work: (admin: postgres.Sql) => Promise<unknown>): Promise<void> {
  const admin = connect(adminUrl, 1, { applicationName: 'barograph-test' });
  try {
    await work(admin);
  } finally {
    await admin.end({ timeout: 5 });
  }
}
