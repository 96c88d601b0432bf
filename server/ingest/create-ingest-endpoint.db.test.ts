import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { ServerMessage } from '../../core/protocol/messages';
import { createToken } from '../../db/queries/tokens';
import { createTestDatabase } from '../../db/testing/test-database';
import { startIngestServer } from './testing/start-ingest-server';
import { type Talk, talkOverHttp, talkOverWebSocket } from './testing/talk';

const database = await createTestDatabase();
const token = await createToken(database.sql, { name: 'test', scopes: ['ingest'] });
const server = await startIngestServer(database.url);
const url = `${server.url}/v1/ingest`;
const headers = () => ({ Authorization: `Bearer ${token}` });
afterAll(async () => {
  await server.close();
  await database.close();
});

const hello = (stream: string, change: object = {}) => ({
  type: 'hello',
  v: 1,
  project: 'p',
  runner: { name: 'r' },
  stream,
  now: Date.now(),
  ...change,
});
const turn = (seq: number, session: string, change: object = {}) => ({
  type: 'turn',
  seq,
  session,
  at: 1_763_764_707_000 + seq * 1000,
  usage: { input: seq, output: 10, cacheRead: 1000 },
  ...change,
});
const say = (talk: Talk, ...messages: unknown[]) => talk(url, JSON.stringify(messages), headers());

/** The stored turns of a session, without values that differ between deliveries. */
async function rowsOf(key: string) {
  return database.sql`
    select t.input, t.output, t.cache_read, t.cumulative_input, t.cumulative_output, t.cumulative_cache_read,
      t.context, t.number, t.chain, t.limit_tokens, t.chart_time
    from turns t join sessions s on s.id = t.session_id where s.key = ${key} order by t.position`;
}

test.each([
  ['WebSocket', talkOverWebSocket],
  ['HTTP', talkOverHttp],
] as const)('over %s a turn is in the database when it is acknowledged', async (name, talk) => {
  const key = `durable-${name}`;
  const { ack } = await say(talk, hello(randomUUID()), turn(1, key), turn(2, key));
  expect(ack).toMatchObject({ settled: [[1, 2]], refused: [] });
  const rows = await rowsOf(key);
  expect(rows.map(({ input, cumulative_input }) => [input, cumulative_input])).toEqual([
    [1, 1],
    [2, 3],
  ]);
});

test('a token of one project opens no stream of another project', async () => {
  const bound = await createToken(database.sql, { name: 'mine', scopes: ['ingest'], projects: ['p'] });
  const headers = { Authorization: `Bearer ${bound}` };
  const open = (project: string, ...items: object[]) =>
    talkOverHttp(url, JSON.stringify([hello(randomUUID(), { project }), ...items]), headers);
  const reason = 'The token "mine" may only write the project "p", not "q".';
  expect(await open('q')).toMatchObject({
    code: 403,
    error: { code: 'not_yours', field: 'project', reason },
  });
  expect((await open('p', turn(1, 'bound'))).ack).toMatchObject({ settled: [[1, 1]], refused: [] });
  const clients = { client: 'claude-code' };
  await say(talkOverHttp, hello(randomUUID(), { project: 'q', ...clients }), turn(1, 'elsewhere'));
  const stream = hello(randomUUID(), clients);
  const { ack } = await talkOverHttp(
    url,
    JSON.stringify([stream, turn(1, 'elsewhere'), turn(2, 'here')]),
    headers,
  );
  expect(ack).toMatchObject({
    settled: [[1, 2]],
    refused: [{ seq: 1, code: 'not_yours', field: 'session' }],
  });
});

test('a welcome lists the seqs that the server has stored', async () => {
  const stream = randomUUID();
  await say(talkOverHttp, hello(stream), turn(1, 'held'), turn(2, 'held'), turn(5, 'held'));
  const socket = new WebSocket(url.replace('http', 'ws'), { headers: headers() });
  const welcome = await new Promise<ServerMessage>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', () => socket.send(JSON.stringify(hello(stream))));
    socket.on('message', (data) => resolve(JSON.parse(data.toString())));
  });
  socket.terminate();
  expect(welcome).toMatchObject({
    type: 'welcome',
    received: [
      [1, 2],
      [5, 5],
    ],
  });
});

test('refuses a revoked token, an unknown token and a token of another scope', async () => {
  const read = await createToken(database.sql, { name: 'read', scopes: ['read'] });
  const revoked = await createToken(database.sql, { name: 'gone', scopes: ['ingest'] });
  await database.sql`update tokens set revoked_at = now() where name = 'gone'`;
  const body = JSON.stringify([hello(randomUUID()), turn(1, 'unauthorised')]);
  const codes: Array<number | null> = [];
  for (const shown of [revoked, 'bg_unknownunknownunknownunknown', read]) {
    codes.push((await talkOverHttp(url, body, { Authorization: `Bearer ${shown}` })).code);
  }
  codes.push((await talkOverHttp(url, body)).code);
  expect(codes).toEqual([401, 401, 403, 401]);
  expect(await rowsOf('unauthorised')).toEqual([]);
});

test('a token in the URL is refused over HTTP too', async () => {
  const answer = await talkOverHttp(
    `${url}?token=${token}`,
    JSON.stringify([hello(randomUUID())]),
    headers(),
  );
  expect(answer).toMatchObject({ code: 400, error: { code: 'token_in_url' } });
});

test('GET answers whether a token is valid and stores nothing', async () => {
  const good = await fetch(url, { headers: headers() });
  expect(await good.json()).toMatchObject({ type: 'server', v: 1, token: { name: 'test', scope: 'ingest' } });
  expect((await fetch(url)).status).toBe(401);
  expect((await fetch(url, { method: 'PUT' })).status).toBe(405);
});

test('a stream that belongs to another runner is refused', async () => {
  const stream = randomUUID();
  await say(talkOverHttp, hello(stream), turn(1, 'taken'));
  const answer = await say(talkOverHttp, hello(stream, { runner: { name: 'thief' } }), turn(2, 'taken'));
  expect(answer).toMatchObject({ code: 409, error: { code: 'stream_taken' } });
});

test('texts that PostgreSQL may not accept are stored or refused, and their neighbours are stored', async () => {
  const sql = "'); drop table turns; --";
  const titles = ['\u0000', '\ud83d', '\udc00x', '\\u0000', '😀', '\u202e', sql, '\ufffe'];
  const starts = titles.map((title, i) => {
    return { type: 'session_start', seq: i + 1, session: `odd-${i}`, at: 1, title };
  });
  const { ack } = await say(talkOverHttp, hello(randomUUID()), ...starts, turn(99, 'odd-neighbour'));
  expect(ack?.refused.map(({ seq, field }) => [seq, field])).toEqual([
    [1, 'title'],
    [2, 'title'],
    [3, 'title'],
  ]);
  expect(await rowsOf('odd-neighbour')).toHaveLength(1);
  const [row] = await database.sql`select title from sessions where key = 'odd-3'`;
  expect(row?.title).toBe('\\u0000');
});
