/** An upload while the database is temporarily unavailable. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { createToken } from '../../db/queries/tokens';
import { createTestDatabase } from '../../db/testing/test-database';
import { hashOf, offerOf } from '../../db/transcripts/transcripts-testing';
import { startIngestServer } from '../ingest/testing/start-ingest-server';

const database = await createTestDatabase();
const token = await createToken(database.sql, { name: 'runner', scope: 'ingest' });
let gate: Server;
let port = 0;
const sockets = new Set<Socket>();

/** A proxy between the server and its database. */
async function openGate(): Promise<void> {
  const target = new URL(database.url);
  gate = createServer((inner) => {
    const outer = connect(Number(target.port), target.hostname);
    for (const socket of [inner, outer]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        inner.destroy();
        outer.destroy();
      });
    }
    inner.pipe(outer).pipe(inner);
  });
  gate.listen(port, '127.0.0.1');
  await once(gate, 'listening');
  port = (gate.address() as AddressInfo).port;
}

async function closeGate(): Promise<void> {
  gate.close();
  for (const socket of sockets) socket.destroy();
  if (gate.listening) await once(gate, 'close');
}

await openGate();
const behindGate = new URL(database.url);
behindGate.host = `127.0.0.1:${port}`;
const server = await startIngestServer(behindGate.href);
afterAll(async () => {
  await server.close();
  await closeGate();
  await database.close();
});

function send(method: string, path: string, body?: BodyInit): Promise<Response> {
  return fetch(`${server.url}/v1/archives${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  });
}

it('answers each upload step with Retry-After while the database is away, and resumes the upload', async () => {
  const file = randomBytes(2_000);
  const offered = offerOf(file);
  const { archive } = offered;
  const offer = JSON.stringify(offered);
  const steps: [string, string, BodyInit | undefined, number][] = [
    ['POST', '', offer, 200],
    ['PUT', `/${archive}/chunks/${hashOf(file)}`, new Uint8Array(file), 204],
    ['POST', `/${archive}/complete`, undefined, 200],
  ];
  for (const [method, path, body, status] of steps) {
    await closeGate();
    const away = await send(method, path, body);
    expect(away.headers.get('retry-after')).toBe('3');
    expect({ status: away.status, ...(await away.json()) }).toMatchObject({
      status: 503,
      code: 'unavailable',
      reason: 'The server cannot reach its database at the moment.',
    });
    await openGate();
    await expect.poll(async () => (await send(method, path, body)).status, { timeout: 20_000 }).toBe(status);
  }
  const [row] = await database.sql`
    select state, reason, verified_at is not null as verified from transcripts where archive = ${archive}`;
  expect(row).toEqual({ state: 'stored', reason: null, verified: true });
}, 60_000);
