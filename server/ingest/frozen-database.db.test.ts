/** A frozen database keeps its connections open and answers nothing. */
import { once } from 'node:events';
import { afterAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { ServerMessage } from '../../core/protocol/messages';
import { createToken } from '../../db/queries/tokens';
import { openDatabaseProxy } from '../../db/testing/database-proxy';
import { createTestDatabase } from '../../db/testing/test-database';
import { startIngestServer } from './testing/start-ingest-server';

const database = await createTestDatabase();
const tokens = {
  ingest: await createToken(database.sql, { name: 'runner', scopes: ['ingest'] }),
  read: await createToken(database.sql, { name: 'reader', scopes: ['read'] }),
};
const proxy = await openDatabaseProxy(database.url);
const server = await startIngestServer(proxy.url, 0, '', false, undefined, null, { probeTicks: 20 });
afterAll(async () => {
  proxy.thaw();
  await server.close();
  await proxy.cut();
  await database.close();
});

const headersOf = (scope: keyof typeof tokens) => ({
  authorization: `Bearer ${tokens[scope]}`,
  'content-type': 'application/json',
});
const hello = (stream: string) => ({
  type: 'hello',
  v: 1,
  project: 'atlas',
  runner: { name: 'r' },
  stream: `00000000-0000-4000-8000-00000000000${stream}`,
  now: Date.now(),
});
const turn = (seq: number, session: string) => ({
  type: 'turn',
  seq,
  session,
  at: Date.now(),
  usage: { input: 1, output: 1, cacheRead: 0, cacheCreation: 0 },
});
const list = () => fetch(`${server.url}/api/v1/sessions`, { headers: headersOf('read') });
const post = (seq: number) =>
  fetch(`${server.url}/v1/ingest`, {
    method: 'POST',
    headers: headersOf('ingest'),
    body: JSON.stringify([hello('1'), turn(seq, 'posted')]),
  });

it('answers requests with 503, keeps items of sockets unacknowledged, and stores them later', async () => {
  const statusOf = (request: () => Promise<Response>) => async () => (await request()).status;
  await expect.poll(statusOf(list)).toBe(200);
  await expect.poll(statusOf(() => post(1))).toBe(200);
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/ingest`, {
    headers: headersOf('ingest'),
  });
  const messages: ServerMessage[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  await once(socket, 'open');
  socket.send(JSON.stringify(hello('2')));
  await expect.poll(() => messages.map(({ type }) => type)).toEqual(['welcome']);

  proxy.freeze();
  socket.send(JSON.stringify([turn(1, 'streamed')]));
  const answers = await Promise.all([list(), list(), post(2)]);
  for (const { status, headers } of answers) {
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
  }
  const error = { code: 'unavailable' };
  expect(await Promise.all(answers.map((answer) => answer.json()))).toMatchObject([
    { error },
    { error },
    { type: 'error', ...error },
  ]);
  expect(messages).toHaveLength(1);

  proxy.thaw();
  await expect.poll(() => messages[1]).toMatchObject({ type: 'ack', settled: [[1, 1]] });
  await expect.poll(statusOf(list)).toBe(200);
  // The refused post may be stored or not. A resend never counts it twice.
  await expect.poll(async () => (await post(2)).json()).toMatchObject({ type: 'ack', settled: [[2, 2]] });
  expect(await database.sql`select count(*)::int as turns from turns`).toEqual([{ turns: 3 }]);
  socket.terminate();
});
