import type postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from './testing/test-database';
import { commitBehind, transact } from './transact';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ maxConnections: 2 });
});
afterAll(() => database.close());

/**
 * Count the usable connections of the pool: the driver sends two concurrent queries over two connections if both places
 * are usable. Each query is retried, because one query after a loss fails too.
 */
async function countPlaces(): Promise<number> {
  const ask = () => database.sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const rows = await Promise.all([1, 2].map(() => ask().catch(ask)));
  return new Set(rows.map(([row]) => row?.pid)).size;
}

describe.each([false, true])('a transaction (by key: %s)', (isByKey) => {
  const begin = <T>(sql: postgres.Sql, work: (tx: postgres.TransactionSql) => Promise<T>) =>
    transact(sql, work, 'read write', isByKey);

  it('is rejected when its connection is lost, and leaves the pool usable', async () => {
    const { sql } = database;
    for (let round = 0; round < 3; round += 1) {
      const lost = begin(sql, async (tx) => {
        const [own] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
        const end = sql`select pg_terminate_backend(${own?.pid ?? 0})`;
        await Promise.all([tx`select pg_sleep(60)`, end]);
      });
      await expect(lost).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
      await expect.poll(countPlaces).toBe(2);
    }
  });

  it('is rejected when its connection is lost between two statements', async () => {
    const { sql } = database;
    const lost = begin(sql, async (tx) => {
      const [own] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await sql`select pg_terminate_backend(${own?.pid ?? 0}, 60000)`;
      await tx`select 1`;
    });
    await expect(lost).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    await expect.poll(countPlaces).toBe(2);
  });

  it('is rolled back when its work fails, with the error of the work', async () => {
    const { sql } = database;
    const failed = begin(sql, async (tx) => {
      await tx`insert into projects (name) values ('short-lived')`;
      throw new RangeError('enough');
    });
    await expect(failed).rejects.toThrow(new RangeError('enough'));
    expect(await sql`select 1 from projects where name = 'short-lived'`).toEqual([]);
  });

  it('is rolled back when a statement fails that the commit did not wait for', async () => {
    const { sql } = database;
    const failed = begin(sql, async (tx) => {
      await tx`insert into projects (name) values ('half-done')`;
      await commitBehind(tx, tx`select 1 / 0`.execute());
    });
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    expect(await sql`select 1 from projects where name = 'half-done'`).toEqual([]);
  });

  it('is committed durably on a server with synchronous_commit = off', async () => {
    const { sql } = database;
    const setting = () => sql<{ value: string }[]>`select current_setting('synchronous_commit') as value`;
    expect(await setting()).toEqual([{ value: 'off' }]);
    // A deferred trigger runs in the commit.
    await sql.unsafe(`
      create table commits (value text);
      create function note_commit() returns trigger language plpgsql as $$
        begin insert into commits values (current_setting('synchronous_commit')); return null; end $$;
      create constraint trigger note after insert on projects deferrable initially deferred
        for each row execute function note_commit()`);
    await begin(sql, async (tx) => {
      await tx`insert into projects (name) values (${`durable ${isByKey}`})`;
    });
    expect(await sql`select value from commits`).toEqual([{ value: 'on' }]);
    expect(await setting()).toEqual([{ value: 'off' }]);
    await sql.unsafe('drop trigger note on projects; drop table commits; drop function note_commit');
  });
});

describe('a transaction', () => {
  it('stores nothing when PostgreSQL refuses its BEGIN', async () => {
    const { sql } = database;
    const store = async (tx: postgres.TransactionSql) => {
      await tx`select 1`;
      await tx`insert into projects (name) values ('without a begin')`;
    };
    for (const isByKey of [false, true]) {
      const failed = transact(sql, store, 'nonsense' as 'read write', isByKey);
      await expect(failed).rejects.toMatchObject({ code: '42601' });
      await expect.poll(countPlaces).toBe(2);
    }
    expect(await sql`select 1 from projects where name = 'without a begin'`).toEqual([]);
  });

  it('is committed when its work succeeds, in the requested mode', async () => {
    const { sql } = database;
    await transact(sql, (tx) => tx`insert into projects (name) values ('kept')`);
    const rows = await transact(
      sql,
      (tx) =>
        tx`select name, current_setting('transaction_read_only') as mode from projects where name = 'kept'`,
      'isolation level repeatable read read only',
    );
    expect(rows).toEqual([{ name: 'kept', mode: 'on' }]);
  });
});
