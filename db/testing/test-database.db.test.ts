import { afterAll, describe, expect, it } from 'vitest';
import { connect } from '../client';
import { createTestDatabase } from './test-database';

const database = await createTestDatabase();
afterAll(() => database.close());

describe('a test database', () => {
  it('comes with the migrated tables', async () => {
    const tables = await database.sql`select to_regclass('public.sessions') is not null as found`;
    expect(tables[0]?.found).toBe(true);
  });

  it('runs a real PostgreSQL of at least version 15', async () => {
    const [row] = await database.sql<
      { version: number }[]
    >`select current_setting('server_version_num')::int as version`;
    expect(row?.version).toBeGreaterThanOrEqual(150_000);
  });

  it('gives bigint as a number, exactly or not at all', async () => {
    const [row] = await database.sql`select 9007199254740991::int8 as safe, '{1,2}'::int8[] as list`;
    expect(row).toMatchObject({ safe: 9_007_199_254_740_991 });
    await expect(database.sql`select 9007199254740993::int8 as unsafe`).rejects.toThrow('beyond 2^53−1');
  });

  it('fails on close when a connection leaked', async () => {
    const leaky = await createTestDatabase();
    const second = connect(leaky.url, 1, { applicationName: 'leak' });
    await second`select 1`;
    await expect(leaky.close()).rejects.toThrow(/Leaked connections.*leak/);
    await second.end({ timeout: 1 });
  });
});
