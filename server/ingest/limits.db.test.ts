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
  const from = performance.now();
  const response = await fetch(`${server.url}/v1/ingest`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens[who]}`, 'content-type': 'application/json' },
    body: JSON.stringify([hello, ...items]),
  });
  const body = (await response.json()) as { refused: { code: string; field: string; reason: string }[] };
  return { status: response.status, refused: body.refused, ms: performance.now() - from };
}

it('acknowledges neighbours while it searches for 1 000 items that the database refuses', async () => {
  await post('good', [turn(1)]);
  const poison = Array.from({ length: 1_000 }, (_, index) =>
    turn(index + 1, { usage: { ...usage, input: POISON } }),
  );
  let isSearching = true;
  const searched = post('bad', poison).finally(() => {
    isSearching = false;
  });
  const times: number[] = [];
  while (isSearching && times.length < 20) times.push((await post('good', [turn(1)])).ms);
  expect(isSearching).toBe(true);
  const { refused, ms } = await searched;
  expect(refused).toHaveLength(1_000);
  expect(Math.max(...times)).toBeLessThan(ms / 2);
}, 120_000);

it('refuses chains beyond the limit by name, without a search', async () => {
  await post('bad', [turn(1, { session: 'wide' })]);
  await sql`update sessions set chain_count = 32768 where key = 'wide'`;
  const items = Array.from({ length: 1_000 }, (_, index) =>
    turn(index + 1, { session: 'wide', chain: `agent-${index}` }),
  );
  const { refused, ms } = await post('bad', [...items, turn(1_001, { session: 'wide' })]);
  expect(refused).toHaveLength(1_000);
  expect(refused[0]).toMatchObject({
    code: 'unstorable',
    field: 'chain',
    reason: 'a session has at most 32767 chains besides main',
  });
  expect(ms).toBeLessThan(4_000);
}, 60_000);

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
