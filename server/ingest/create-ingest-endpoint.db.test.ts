import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { ServerMessage } from '../../core/protocol/messages';
import { POISON, refusePoison } from '../../db/ingest/ingest-testing';
import { createToken } from '../../db/queries/tokens';
import { createTestDatabase } from '../../db/testing/test-database';
import { startIngestServer } from './testing/start-ingest-server';
import { type Talk, talkOverHttp, talkOverWebSocket } from './testing/talk';

const database = await createTestDatabase();
await refusePoison(database.sql);
const token = await createToken(database.sql, { name: 'test', scope: 'ingest' });
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

test('a client’s session is one session, whichever project a hello names', async () => {
  for (const [project, projectSource] of [
    ['named-after-a-folder', 'name'],
    ['right', 'folder'],
  ]) {
    const first = hello(randomUUID(), { project, projectSource, client: 'claude-code' });
    await say(talkOverHttp, first, turn(1, 'own-id', { call: 'one' }));
  }
  const sessions = await database.sql`
    select p.name from sessions s join projects p on p.id = s.project_id where s.key = 'own-id'`;
  expect(sessions).toEqual([{ name: 'right' }]);
  expect(await rowsOf('own-id')).toHaveLength(1);
});

test('refuses only the turn that the database does not accept, and stores the others', async () => {
  const key = 'poisoned';
  const poison = turn(3, key, { usage: { input: POISON } });
  const items = [turn(1, key), turn(2, key), poison, turn(4, key), turn(5, key)];
  const { ack } = await say(talkOverHttp, hello(randomUUID()), ...items);
  expect(ack).toMatchObject({ settled: [[1, 5]], refused: [{ seq: 3, index: 3, code: 'unstorable' }] });
  expect((await rowsOf(key)).map(({ input }) => input)).toEqual([1, 2, 4, 5]);
});

test('a resend changes no row, and is acknowledged as a duplicate', async () => {
  const stream = randomUUID();
  const items = [1, 2, 3].map((seq) => turn(seq, 'resent'));
  await say(talkOverHttp, hello(stream), ...items);
  const before = await rowsOf('resent');
  const { ack } = await say(talkOverWebSocket, hello(stream), ...items);
  expect(ack).toMatchObject({ settled: [[1, 3]], duplicate: [1, 2, 3] });
  expect(await rowsOf('resent')).toEqual(before);
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

test('a turn refused for its count marks its context as incomplete', async () => {
  const { ack } = await say(
    talkOverHttp,
    hello(randomUUID()),
    turn(1, 'incomplete'),
    turn(2, 'incomplete', { usage: { input: 1.5 } }),
    turn(3, 'incomplete'),
  );
  expect(ack?.refused).toMatchObject([{ seq: 2, code: 'invalid_count', field: 'usage.input' }]);
  const [context] = await database.sql`
    select c.complete, c.cumulative_input from contexts c join sessions s on s.id = c.session_id
    where s.key = 'incomplete'`;
  expect(Object.values(context ?? {})).toEqual([false, 4]);
});

test('two sockets that send one session store the same rows as one ordered stream', async () => {
  const items = Array.from({ length: 60 }, (_, i) => turn(i + 1, 'two-sockets', { call: `c${i}` }));
  const streams = [randomUUID(), randomUUID()];
  const halves: unknown[][] = [[], []];
  for (const [i, item] of items.entries()) {
    halves[i % 2]?.push(item);
    if ((halves[i % 2]?.length ?? 0) < 10) continue;
    await Promise.all(
      streams.map((stream, which) => say(talkOverWebSocket, hello(stream), ...(halves[which] ?? []))),
    );
    halves[0] = [];
    halves[1] = [];
  }
  await Promise.all(
    streams.map((stream, which) => say(talkOverWebSocket, hello(stream), ...(halves[which] ?? []))),
  );
  const rows = await rowsOf('two-sockets');
  expect(rows).toHaveLength(60);
  expect(rows.map(({ number }) => number)).toEqual(items.map((_, i) => i + 1));
  const sums = await database.sql`
    select max(t.cumulative_input) as input, max(t.cumulative_output) as output
    from turns t join sessions s on s.id = t.session_id where s.key = 'two-sockets'`;
  expect(Object.values(sums[0] ?? {})).toEqual([(60 * 61) / 2, 600]);
});

test('refuses a revoked token, an unknown token and a token of another scope', async () => {
  const read = await createToken(database.sql, { name: 'read', scope: 'read' });
  const revoked = await createToken(database.sql, { name: 'gone', scope: 'ingest' });
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

test('the largest exact counts are stored exactly, and a sum beyond them is refused', async () => {
  const max = Number.MAX_SAFE_INTEGER;
  const { ack } = await say(
    talkOverHttp,
    hello(randomUUID()),
    turn(1, 'edge', { usage: { input: max - 1 } }),
    turn(2, 'edge', { usage: { input: 5 } }),
    turn(3, 'edge', { usage: { input: 1 } }),
  );
  expect(ack?.refused).toMatchObject([{ seq: 2, code: 'sum_overflow' }]);
  const rows = await rowsOf('edge');
  expect(rows.map(({ input }) => input)).toEqual([max - 1, 1]);
});
