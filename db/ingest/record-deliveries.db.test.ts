import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { deliver, NOON, numbered, openTestStream, outcomesOf, readSnapshot } from './ingest-testing';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

describe('recording deliveries', () => {
  it('stores deltas and the cumulative values after each turn', async () => {
    const { sql } = database;
    const stream = await openTestStream(sql);
    const session = 'first';
    const recorded = await deliver(
      sql,
      stream,
      numbered([
        { type: 'session_start', session, at: NOON, limit: 10_000, title: 'First' },
        { type: 'turn', session, at: NOON + 1_000, usage: { input: 500, output: 1_000, cacheRead: 10_000 } },
        { type: 'turn', session, at: NOON + 2_000, usage: { input: 600, output: 1_200, cacheRead: 20_000 } },
      ]),
    );
    expect(outcomesOf(recorded)).toEqual(['stored', 'stored', 'stored']);
    expect(recorded.touched).toHaveLength(1);
    const [row] = await sql`select title, used, pressure, turn_count, last_position, version from sessions`;
    expect(row).toMatchObject({ title: 'First', used: 3_300, pressure: 0.33, turn_count: 2, version: 2 });
    const snapshot = await readSnapshot(sql);
    expect(snapshot.turns).toHaveLength(2);
  });
});
