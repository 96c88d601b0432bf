/** The life of a token on two servers with one database: revoked, rotated, expired, wrong. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { TokenScope } from '../../core/identity/token-scopes';
import { issueToken, looksLikeToken, revokeToken, rotateToken } from '../../db/queries/tokens';
import { createTestDatabase } from '../../db/testing/test-database';
import { startIngestServer } from '../ingest/testing/start-ingest-server';
import { createAuthenticator } from './authenticator';

const database = await createTestDatabase();
const { sql } = database;
const start = () => startIngestServer(database.url, 0, '', true);
const servers = [await start(), await start()];
afterAll(async () => {
  for (const server of servers) await server.close();
  await database.close();
});

const make = (scopes: TokenScope[], expiresAt: Date | null = null) =>
  issueToken(sql, { name: `${scopes} ${randomUUID()}`, scopes, expiresAt });

const hello = () => ({ type: 'hello', v: 1, project: 'p', runner: { name: 'r' }, stream: randomUUID() });

/** Sockets for runners and for readers, on each server, with their close codes. */
async function openSockets(secret: string): Promise<Promise<number>[]> {
  const opened = servers.flatMap(({ url }) =>
    ['/v1/ingest', '/v1/live'].map(async (path) => {
      const headers = { authorization: `Bearer ${secret}` };
      const socket = new WebSocket(url.replace('http', 'ws') + path, { headers });
      const closed = once(socket, 'close').then(([code]) => Number(code));
      await once(socket, 'open');
      const request = path === '/v1/live' ? { type: 'subscribe', topic: 'fleet' } : hello();
      socket.send(JSON.stringify(request));
      await once(socket, 'message');
      return { closed };
    }),
  );
  return (await Promise.all(opened)).map(({ closed }) => closed);
}

const within = (ms: number, codes: Promise<number>[]) =>
  Promise.race([Promise.all(codes), new Promise((resolve) => setTimeout(resolve, ms, 'open'))]);

const ask = async (secret: string) =>
  (await fetch(`${servers[0]?.url}/api/v1/limits`, { headers: { authorization: `Bearer ${secret}` } }))
    .status;

it('closes all sockets of a revoked token on every server within a second', async () => {
  const { secret, token } = await make(['ingest', 'read']);
  const codes = await openSockets(secret);
  await revokeToken(sql, token, 'test');
  expect(await within(1_000, codes)).toEqual([4401, 4401, 4401, 4401]);
  expect(await ask(secret)).toBe(401);
});

it('closes sockets when their token expires', async () => {
  const { secret } = await make(['ingest', 'read'], new Date(Date.now() + 1_500));
  const codes = await openSockets(secret);
  expect(await within(3_000, codes)).toEqual([4401, 4401, 4401, 4401]);
  expect(await ask(secret)).toBe(401);
});

it('accepts the former secret of a rotated token until the overlap ends', async () => {
  const { secret: former, token } = await make(['ingest', 'read']);
  const codes = await openSockets(former);
  const rotated = await rotateToken(sql, { id: token.id, overlapMs: 1_500 }, 'test');
  expect(await Promise.all([ask(former), ask(rotated?.secret ?? '')])).toEqual([200, 200]);
  expect(await within(3_000, codes)).toEqual([4401, 4401, 4401, 4401]);
  expect(await Promise.all([ask(former), ask(rotated?.secret ?? '')])).toEqual([401, 200]);
});

it('records the last use and its address', async () => {
  const { secret, token } = await make(['read']);
  await ask(secret);
  const used = sql`select last_used_from as from from tokens where id = ${token.id} and last_used_at is not null`;
  await expect.poll(() => used).toEqual([{ from: '127.0.0.1' }]);
});

it('refuses a token with a wrong checksum without a query', async () => {
  const { secret } = await make(['read']);
  const wrong = secret.slice(0, -1) + (secret.endsWith('A') ? 'B' : 'A');
  expect([secret, wrong].map(looksLikeToken)).toEqual([true, false]);
});

it('delays repeated wrong tokens of an address, but not valid ones', async () => {
  const auth = createAuthenticator(sql);
  const wrong = `bg_${'x'.repeat(43)}`;
  const timeOf = async (token: string, address: string) => {
    const from = performance.now();
    await auth.verify(token, address);
    return performance.now() - from;
  };
  const { secret } = await make(['read']);
  const times: number[] = [];
  for (let attempt = 0; attempt < 8; attempt += 1) times.push(await timeOf(wrong, '10.0.0.1'));
  // A timer may be a millisecond early.
  expect(Math.min(...times.slice(5))).toBeGreaterThan(95);
  expect(times[7]).toBeGreaterThan(400);
  expect(await timeOf(secret, '10.0.0.1')).toBeLessThan(400);
  expect(await timeOf(wrong, '10.0.0.2')).toBeLessThan(400);
  auth.close();
});
