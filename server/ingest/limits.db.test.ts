/** One client's hostile input does not delay others, and costs no more than its limit. */
import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { archiveOffer, CHUNK_BYTES } from '../../core/api/transcripts';
import { createToken } from '../../db/queries/tokens';
import { POISON, refusePoison } from '../../db/testing/refuse-poison';
import { createTestDatabase } from '../../db/testing/test-database';
import { hashOf, offerOf } from '../../db/transcripts/transcripts-testing';
import { startIngestServer } from './testing/start-ingest-server';

const database = await createTestDatabase();
const { sql } = database;
await refusePoison(sql);
// Counts the statements that insert turns, also those that are rolled back.
await sql.unsafe(`
  create sequence inserts;
  grant usage on sequence inserts to public;
  create function count_insert() returns trigger language plpgsql as
    $$ begin perform nextval('inserts'); return null; end $$;
  create trigger count_insert before insert on turns for each statement execute function count_insert()`);
const insertsSoFar = async () => {
  const [row] = await sql<
    { count: number }[]
  >`select case when is_called then last_value else 0 end as count from inserts`;
  return row?.count ?? 0;
};
const server = await startIngestServer(database.url);
afterAll(async () => {
  await server.close();
  await database.close();
});
const scopes = ['ingest', 'archive'] as const;
const tokens = {
  bad: await createToken(sql, { name: 'bad', scopes, projects: ['bad'] }),
  good: await createToken(sql, { name: 'good', scopes, projects: ['good'] }),
};

const usage = { input: 1, output: 1, cacheRead: 0, cacheCreation: 0 };
const turn = (seq: number, fields: object = {}) => ({
  type: 'turn',
  seq,
  session: 's',
  at: Date.now(),
  usage,
  ...fields,
});

async function post(who: keyof typeof tokens, items: object[]) {
  const hello = { type: 'hello', v: 1, project: who, runner: { name: who }, stream: randomUUID() };
  const response = await fetch(`${server.url}/v1/ingest`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens[who]}`, 'content-type': 'application/json' },
    body: JSON.stringify([hello, ...items]),
  });
  const body = (await response.json()) as { refused: { code: string; field: string; reason: string }[] };
  return { status: response.status, refused: body.refused };
}

it('acknowledges neighbours while it searches for 1 000 items that the database refuses', async () => {
  await post('good', [turn(1)]);
  const poison = Array.from({ length: 1_000 }, (_, index) =>
    turn(index + 1, { usage: { ...usage, input: POISON } }),
  );
  const before = await insertsSoFar();
  const searched = post('bad', poison);
  // The search has begun when a batch was tried again in parts.
  await expect.poll(insertsSoFar, { interval: 1 }).toBeGreaterThan(before + 2);
  for (let count = 0; count < 3; count += 1) expect((await post('good', [turn(1)])).status).toBe(200);
  const meanwhile = (await insertsSoFar()) - before;
  expect((await searched).refused).toHaveLength(1_000);
  expect(meanwhile).toBeLessThan(((await insertsSoFar()) - before) / 2);
});

it('refuses chains beyond the limit by name, without a search', async () => {
  await post('bad', [turn(1, { session: 'wide' })]);
  await sql`update sessions set chain_count = 32768 where key = 'wide'`;
  const items = Array.from({ length: 1_000 }, (_, index) =>
    turn(index + 1, { session: 'wide', chain: `agent-${index}` }),
  );
  const before = await insertsSoFar();
  const { refused } = await post('bad', [...items, turn(1_001, { session: 'wide' })]);
  expect(refused).toHaveLength(1_000);
  expect(refused[0]).toMatchObject({
    code: 'unstorable',
    field: 'chain',
    reason: 'a session has at most 32767 chains besides main',
  });
  // A search would try each of the items by itself.
  expect((await insertsSoFar()) - before).toBeLessThan(100);
});

it('refuses an archive that names one chunk many times, and names the limit', async () => {
  const chunk = Buffer.alloc(CHUNK_BYTES, 0x61);
  expect(gzipSync(chunk).length).toBeLessThan(2_000);
  const file = (times: number) => Buffer.concat(Array.from({ length: times }, () => chunk));
  const allowed = offerOf(file(5), { project: 'bad' });
  expect(archiveOffer.safeParse(allowed).success).toBe(true);
  const offered = { ...allowed, bytes: 256 * CHUNK_BYTES, chunks: Array(256).fill(hashOf(chunk)) };
  const response = await fetch(`${server.url}/v1/archives`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.bad}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...offered, sha256: randomBytes(32).toString('hex') }),
  });
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { field: 'chunks', reason: expect.stringContaining('at most 4 repeated chunks') },
  ]);
});
