/** Bodies that the server refuses: their senders get the answer, also while they are still sending. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { createToken } from '../../db/queries/tokens';
import { createTestDatabase } from '../../db/testing/test-database';
import { startIngestServer } from './testing/start-ingest-server';

const database = await createTestDatabase();
const token = await createToken(database.sql, { name: 'runner', scopes: ['ingest', 'archive'] });
const other = await createToken(database.sql, { name: 'other', scopes: ['ingest', 'archive'] });
const server = await startIngestServer(database.url);
afterAll(async () => {
  await server.close();
  await database.close();
});

const SIZE = 32 * 1024 * 1024;
const PIECE = Buffer.alloc(1024 * 1024, 0x20);

/** Send the whole body before reading the answer, as Python's http.client does. */
async function sendAll(path: string, hasToken: boolean, isChunked: boolean): Promise<string> {
  const socket: Socket = connect(server.port, '127.0.0.1');
  socket.pause();
  const write = async (data: string | Buffer) => {
    if (!socket.write(data)) await once(socket, 'drain');
  };
  const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${SIZE}`;
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    length,
    ...(hasToken ? [`Authorization: Bearer ${token}`] : []),
  ];
  await write(`${head.join('\r\n')}\r\n\r\n`);
  for (let sent = 0; sent < SIZE; sent += PIECE.length) {
    if (isChunked) await write(`${PIECE.length.toString(16)}\r\n`);
    await write(PIECE);
    if (isChunked) await write('\r\n');
  }
  if (isChunked) await write('0\r\n\r\n');
  socket.resume();
  const [answer] = await once(socket, 'data');
  socket.destroy();
  return String(answer).split('\r\n')[0] ?? '';
}

it.each([
  ['/v1/ingest', true, false, 413],
  ['/v1/ingest', true, true, 413],
  ['/v1/archives', true, false, 413],
  ['/v1/archives', true, true, 413],
  ['/v1/logs', true, false, 413],
  ['/v1/logs', true, true, 413],
  ['/v1/ingest', false, true, 401],
  ['/v1/logs', false, true, 401],
  ['/v1/archives', false, false, 401],
])(
  '%s, token %j, chunked %j: answers %i to a sender of 32 MiB',
  async (path, hasToken, isChunked, status) => {
    expect(await sendAll(path, hasToken, isChunked)).toContain(` ${status} `);
  },
);

it.each([
  ['/v1/ingest', 400],
  ['/v1/logs', 200],
  ['/v1/archives', 400],
])('%s: answers another token while one sends many bodies slowly', async (path, status) => {
  const slow = Array.from({ length: 20 }, () => {
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    const lines = [
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      'Content-Type: application/json',
      `Authorization: Bearer ${token}`,
      'Content-Length: 4000000',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n{`);
    return socket;
  });
  // Beyond its share, the server answers at once.
  await Promise.race(slow.map((socket) => once(socket, 'data')));
  const headers = { authorization: `Bearer ${other}`, 'content-type': 'application/json' };
  const answer = await fetch(server.url + path, { method: 'POST', headers, body: '{}' });
  expect(answer.status).toBe(status);
  for (const socket of slow) socket.destroy();
});

it('refuses a token before it reads the body', async () => {
  const socket = connect(server.port, '127.0.0.1');
  socket.write('POST /v1/ingest HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n[');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toContain(' 401 ');
  socket.destroy();
});

it('answers fetch with 413', async () => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = ' '.repeat(SIZE);
  const { status } = await fetch(`${server.url}/v1/ingest`, { method: 'POST', headers, body });
  expect(status).toBe(413);
});
