/** An upload while the database is temporarily unavailable. */
import { randomBytes } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { createToken } from '../../db/queries/tokens';
import { openDatabaseProxy } from '../../db/testing/database-proxy';
import { createTestDatabase } from '../../db/testing/test-database';
import { hashOf, offerOf } from '../../db/transcripts/transcripts-testing';
import { startIngestServer } from '../ingest/testing/start-ingest-server';

const database = await createTestDatabase();
const token = await createToken(database.sql, { name: 'runner', scopes: ['ingest', 'archive'] });
const proxy = await openDatabaseProxy(database.url);
const server = await startIngestServer(proxy.url);
afterAll(async () => {
  await server.close();
  await proxy.cut();
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
    await proxy.cut();
    const away = await send(method, path, body);
    expect(away.headers.get('retry-after')).toBe('3');
    expect({ status: away.status, ...(await away.json()) }).toMatchObject({
      status: 503,
      code: 'unavailable',
      reason: 'The server cannot reach its database at the moment.',
    });
    await proxy.open();
    await expect.poll(async () => (await send(method, path, body)).status).toBe(status);
  }
  const [row] = await database.sql`
    select state, reason, verified_at is not null as verified from transcripts where archive = ${archive}`;
  expect(row).toEqual({ state: 'stored', reason: null, verified: true });
});
