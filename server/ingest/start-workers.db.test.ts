import { randomUUID } from 'node:crypto';
import { afterAll, expect, test, vi } from 'vitest';
import { createToken } from '../../db/queries/tokens';
import { createTestDatabase } from '../../db/testing/test-database';
import { startIngestServer } from './testing/start-ingest-server';
import { talkOverHttp } from './testing/talk';

const database = await createTestDatabase();
const server = await startIngestServer(database.url);
afterAll(async () => {
  await server.close();
  await database.close();
});

test('recomputes a queued session in the background', async () => {
  const { sql } = database;
  const token = await createToken(sql, { name: 'test', scopes: ['ingest'] });
  const stream = { type: 'hello', v: 1, project: 'p', runner: { name: 'r' }, stream: randomUUID() };
  const turns = [1, 2, 3].map((seq) => ({ type: 'turn', seq, session: 's', at: seq, usage: { input: 5 } }));
  await talkOverHttp(`${server.url}/v1/ingest`, JSON.stringify([stream, ...turns]), {
    Authorization: `Bearer ${token}`,
  });
  await sql`update turns set cumulative_input = 0`;
  await sql`update sessions set recompute_from = 0, turn_count = 0, used = 0`;
  await vi.waitFor(async () => {
    const rows = await sql`select recompute_from, turn_count, used from sessions`;
    expect(rows).toEqual([{ recompute_from: null, turn_count: 3, used: 15 }]);
  });
  expect(await sql`select cumulative_input as sum from turns order by position`).toEqual([
    { sum: 5 },
    { sum: 10 },
    { sum: 15 },
  ]);
});
