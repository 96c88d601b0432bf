/** Uploads of transcripts to server processes that are killed. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ArchiveOffer, type ArchiveProgress, CHUNK_BYTES } from '@/core/api/transcripts';
import { createTestDatabase, type TestDatabase } from '@/db/testing/test-database';
import { makeIngestToken, type ServerProcess, serverStarter } from './server-process';

let database: TestDatabase;
let token: string;
const serve = serverStarter(() => database.url);
beforeAll(async () => {
  database = await createTestDatabase();
  token = await makeIngestToken(database.sql);
});
afterAll(() => database?.close());

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const chunkOf = (file: Buffer, index: number) =>
  file.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);

function offerOf(file: Buffer): ArchiveOffer {
  const count = Math.ceil(file.length / CHUNK_BYTES);
  return {
    archive: randomUUID(),
    project: 'wire',
    session: 'long',
    at: new Date().toISOString(),
    trigger: 'auto',
    version: 'hook',
    fileName: 'long.jsonl',
    path: null,
    host: null,
    bytes: file.length,
    lines: 1,
    sha256: hashOf(file),
    chunks: Array.from({ length: count }, (_, index) => hashOf(chunkOf(file, index))),
  };
}

function send(server: ServerProcess, method: string, path: string, body?: BodyInit): Promise<Response> {
  return fetch(`${server.url}/v1/archives${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  });
}
const progressOf = async (response: Response) => (await response.json()) as ArchiveProgress;

test('resumes an upload after kill -9 with the missing chunks', async () => {
  const file = randomBytes(12 * CHUNK_BYTES + 4_321);
  const offer = offerOf(file);
  let server = await serve();
  const { port } = server;
  const kept = new Set<string>();
  let sent = 0;
  for (let round = 0; ; round += 1) {
    const progress = await progressOf(await send(server, 'POST', '', JSON.stringify(offer)));
    expect(progress.state).toBe('uploading');
    // Acknowledged chunks are stored.
    expect(progress.missing.filter((sha256) => kept.has(sha256))).toEqual([]);
    if (progress.missing.length === 0) break;
    const puts = progress.missing.map(async (sha256) => {
      const bytes = chunkOf(file, offer.chunks.indexOf(sha256));
      sent += 1;
      const response = await send(server, 'PUT', `/${offer.archive}/chunks/${sha256}`, new Uint8Array(bytes));
      if (response.status === 204) kept.add(sha256);
    });
    // Some chunks are stored, others still on the way.
    if (round < 3) {
      await Promise.any(puts);
      await server.kill();
    }
    await Promise.allSettled(puts);
    if (round < 3) server = await serve(port);
  }
  expect(kept.size).toBeGreaterThan(0);
  expect(sent).toBeLessThan(4 * offer.chunks.length);

  // Killed during the verification: the next attempt stores the archive.
  const ended = send(server, 'POST', `/${offer.archive}/complete`).catch(() => null);
  await server.kill();
  await ended;
  server = await serve(port);
  const done = await progressOf(await send(server, 'POST', `/${offer.archive}/complete`));
  expect(done).toMatchObject({ state: 'stored', missing: [] });
  expect(done.verifiedAt).not.toBeNull();
}, 120_000);

test('accepts one archive through two server processes', async () => {
  const [left, right] = await Promise.all([serve(), serve()]);
  const file = randomBytes(5 * CHUNK_BYTES);
  const offer = offerOf(file);
  const offers = await Promise.all(
    [left, right].map((server) => send(server, 'POST', '', JSON.stringify(offer))),
  );
  const [first, second] = await Promise.all(offers.map(progressOf));
  expect(first?.id).toBe(second?.id);
  await Promise.all(
    offer.chunks.flatMap((sha256, index) =>
      [left, right].map((server) =>
        send(server, 'PUT', `/${offer.archive}/chunks/${sha256}`, new Uint8Array(chunkOf(file, index))),
      ),
    ),
  );
  const ends = await Promise.all(
    [left, right].map((server) => send(server, 'POST', `/${offer.archive}/complete`)),
  );
  for (const end of await Promise.all(ends.map(progressOf))) expect(end.state).toBe('stored');
  const [rows] = await database.sql`
    select count(*)::int as count from transcripts where archive = ${offer.archive}`;
  expect(rows).toEqual({ count: 1 });
});
