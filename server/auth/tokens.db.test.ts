/** The life of a token on two servers with one database: revoked, rotated, expired, wrong. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { TokenScope } from '../../core/identity/token-scopes';
import { issueToken, looksLikeToken, notifyAccess, revokeToken, rotateToken } from '../../db/queries/tokens';
import { createTestDatabase } from '../../db/testing/test-database';
import { startIngestServer } from '../ingest/testing/start-ingest-server';
import { createAuthenticator } from './authenticator';

const database = await createTestDatabase();
const { sql } = database;
// Cached tokens never age here, so only a notification or the timer of an expiry ends them.
const start = () => startIngestServer(database.url, 0, '', true, undefined, null, { tokenClock: () => 0 });
const servers = [await start(), await start()];
afterAll(async () => {
  for (const server of servers) await server.close();
  await database.close();
});

const make = (scopes: TokenScope[]) => issueToken(sql, { name: `${scopes} ${randomUUID()}`, scopes });

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

const ask = async (secret: string) =>
  (await fetch(`${servers[0]?.url}/api/v1/limits`, { headers: { authorization: `Bearer ${secret}` } }))
    .status;

it('closes all sockets of a revoked token on every server', async () => {
  const { secret, token } = await make(['ingest', 'read']);
  const codes = await openSockets(secret);
  await revokeToken(sql, token, 'test');
  expect(await Promise.all(codes)).toEqual([4401, 4401, 4401, 4401]);
  expect(await ask(secret)).toBe(401);
});

it('closes sockets when their token expires', async () => {
  const { secret, token } = await make(['ingest', 'read']);
  const codes = await openSockets(secret);
  // Set after the sockets are open, because a busy machine may open them slowly.
  await sql`update tokens set expires_at = now() + interval '1 second' where id = ${token.id}`;
  await notifyAccess(sql);
  expect(await Promise.all(codes)).toEqual([4401, 4401, 4401, 4401]);
  expect(await ask(secret)).toBe(401);
});

it('accepts both secrets of a rotated token during the overlap', async () => {
  const { secret: former, token } = await make(['read']);
  const rotated = await rotateToken(sql, { id: token.id, overlapMs: 3_600_000 }, 'test');
  expect(await Promise.all([ask(former), ask(rotated?.secret ?? '')])).toEqual([200, 200]);
});

it('ends the former secret of a rotated token, and its sockets, after the overlap', async () => {
  const { secret: former, token } = await make(['ingest', 'read']);
  const codes = await openSockets(former);
  const rotated = await rotateToken(sql, { id: token.id, overlapMs: 1_000 }, 'test');
  expect(await Promise.all(codes)).toEqual([4401, 4401, 4401, 4401]);
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
  const auth = createAuthenticator(sql, undefined, 3_600_000);
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
  expect(times[7]).toBeGreaterThan(398);
  // After these, another delay would be longer than the test may take.
  for (let attempt = 0; attempt < 12; attempt += 1) void auth.verify(wrong, '10.0.0.1');
  expect(await auth.verify(secret, '10.0.0.1')).not.toBeNull();
  expect(await auth.verify(wrong, '10.0.0.2')).toBeNull();
  auth.close();
});
