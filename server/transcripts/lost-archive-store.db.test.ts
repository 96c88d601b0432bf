/** Uploads while the S3 server is temporarily unavailable. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { CHUNK_BYTES } from '../../core/api/transcripts';
import { createToken } from '../../db/queries/tokens';
import { openTestDatabase } from '../../db/testing/test-database';
import { setArchiveStore } from '../../db/transcripts/archive-store';
import { CREDENTIALS, startS3 } from '../../db/transcripts/s3-testing';
import { hashOf, offerOf, splitChunks } from '../../db/transcripts/transcripts-testing';
import { startIngestServer } from '../ingest/testing/start-ingest-server';

const { sql, url } = await openTestDatabase();
const token = await createToken(sql, { name: 'runner', scopes: ['ingest', 'archive', 'read', 'admin'] });
const s3 = await startS3();
const server = await startIngestServer(url);
afterAll(async () => {
  setArchiveStore();
  await server.close();
  await s3.close();
});
beforeEach(() => {
  for (const [name, value] of Object.entries(CREDENTIALS)) vi.stubEnv(name, value);
});

const send = (method: string, path: string, body?: unknown) =>
  fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: body instanceof Buffer ? new Uint8Array(body) : JSON.stringify(body) }),
  });
const metric = async () =>
  /^barograph_archive_store_up (\S+)$/m.exec(await (await send('GET', '/metrics')).text())?.[1];

it('answers chunks with 503 while the store is away, serves everything else, and completes the upload later', async () => {
  expect(await metric()).toBe('Nan');
  setArchiveStore(s3.settings);
  await expect.poll(metric).toBe('1');
  const file = randomBytes(CHUNK_BYTES + 500);
  const [first, second] = splitChunks(file) as [Buffer, Buffer];
  const offer = offerOf(file);
  const path = `/v1/archives/${offer.archive}`;
  const put = (chunk: Buffer) => send('PUT', `${path}/chunks/${hashOf(chunk)}`, chunk);
  await send('POST', '/v1/archives', offer);
  expect((await put(first)).status).toBe(204);

  await s3.stop();
  const refused = await put(second);
  expect(refused.headers.get('retry-after')).toBe('3');
  const reason = /^The archive store s3:\/\/archives\/of\/servers cannot be used: connect ECONNREFUSED/;
  expect({ status: refused.status, ...(await refused.json()) }).toMatchObject({
    status: 503,
    code: 'unavailable',
    reason: expect.stringMatching(reason),
  });
  await expect.poll(async () => (await sql`select reason from transcripts`)[0]?.reason).toMatch(reason);
  const turn = { type: 'turn', seq: 1, session: 'one', at: Date.now(), usage: { input: 1 } };
  const hello = {
    type: 'hello',
    v: 1,
    project: 'shop',
    runner: { name: 'r' },
    stream: randomUUID(),
    now: Date.now(),
  };
  expect((await send('POST', '/v1/ingest', [hello, turn])).status).toBe(200);
  for (const other of ['/readyz', '/api/v1/transcripts']) expect((await send('GET', other)).status).toBe(200);
  expect(await metric()).toBe('0');

  await s3.start();
  expect((await put(second)).status).toBe(204);
  await s3.stop();
  expect((await send('POST', `${path}/complete`)).status).toBe(503);
  await s3.start();
  expect(await (await send('POST', `${path}/complete`)).json()).toMatchObject({
    state: 'stored',
    missing: [],
  });
  const [row] = await sql`select state, reason, public_id as id from transcripts`;
  expect(row).toMatchObject({ state: 'stored', reason: null });
  const content = `/api/v1/transcripts/${row?.id}/content`;
  expect(hashOf(Buffer.from(await (await send('GET', content)).arrayBuffer()))).toBe(offer.sha256);
  await s3.stop();
  expect((await send('GET', `/api/v1/transcripts/${row?.id}`)).status).toBe(200);
  await s3.start();
});
