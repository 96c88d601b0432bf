/** What is said of archives that came while nothing could be written. */
import { randomBytes, randomUUID } from 'node:crypto';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createToken } from '../../db/queries/tokens/create-token';
import { listTranscripts } from '../../db/queries/transcripts/list-transcripts';
import { loadTranscript } from '../../db/queries/transcripts/load-transcript';
import { createTestDatabase, type TestDatabase } from '../../db/testing/test-database';
import { offerArchive } from '../../db/transcripts/offer-archive';
import { createPostgresStore } from '../../db/transcripts/postgres-store';
import { offerOf } from '../../db/transcripts/transcripts-testing';
import { type IngestServer, startIngestServer } from '../ingest/testing/start-ingest-server';
import { holdUpArchives } from './held-up';

let database: TestDatabase;
let server: IngestServer;
let token: string;
beforeAll(async () => {
  database = await createTestDatabase();
  token = await createToken(database.sql, { name: 'runner', scope: 'ingest' });
  server = await startIngestServer(database.url, 0, { heldUpIntervalMs: 200 });
  await database.sql`
    create function no_room() returns trigger language plpgsql as $$
    begin raise exception 'could not write' using errcode = tg_argv[0]; end $$`;
});
afterAll(async () => {
  await server.close();
  await database.close();
});

const TABLES = ['transcripts', 'audit_log'];

/** Nothing of transcripts can be written until it is called back. */
async function breakStore(code: string): Promise<() => Promise<void>> {
  for (const table of TABLES) {
    await database.sql.unsafe(
      `create trigger no_room before insert or update on ${table} execute function no_room('${code}')`,
    );
  }
  return async () => {
    for (const table of TABLES) await database.sql.unsafe(`drop trigger no_room on ${table}`);
  };
}

const offerTo = (offer: object) =>
  fetch(`${server.url}/v1/archives`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(offer),
  });

async function entriesOf(archive: string) {
  return database.sql<{ detail: Record<string, unknown> }[]>`
    select a.detail from audit_log a join transcripts t on t.public_id = a.transcript
    where t.archive = ${archive} and a.action = 'transcript_delayed' order by a.id`;
}
async function rowOf(archive: string) {
  const [row] = await database.sql`select state, reason from transcripts where archive = ${archive}`;
  return row ?? null;
}

it.each([
  ['53100', 507, 'disk_full'],
  ['53200', 507, 'out_of_memory'],
  ['53400', 507, 'limit_exceeded'],
  ['57P03', 503, 'unavailable'],
])(
  'an offer during %s is answered with %i and gets its row once it can be written',
  async (code, status, name) => {
    const mend = await breakStore(code);
    const offer = offerOf(randomBytes(100));
    const refused = await offerTo(offer);
    expect({ status: refused.status, ...(await refused.json()) }).toMatchObject({ status, code: name });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await offerTo(offer)).status).toBe(status);
    expect(await rowOf(offer.archive)).toBeNull();
    await mend();
    await expect
      .poll(() => rowOf(offer.archive), { timeout: 20_000 })
      .toMatchObject({ state: 'failed', reason: expect.stringContaining('The runner comes again.') });
    const [entry, ...others] = await entriesOf(offer.archive);
    expect(others).toHaveLength(0);
    expect(entry?.detail).toMatchObject({ times: 2 });
    // It comes again, and is taken.
    expect((await offerTo(offer)).status).toBe(200);
    expect(await rowOf(offer.archive)).toEqual({ state: 'uploading', reason: null });
  },
);

it('while nothing can be written, lists and looks tell of it from memory, and no longer once it came in', async () => {
  const { sql } = database;
  const { heldUp } = server;
  const known = offerOf(randomBytes(100));
  const fresh = { ...offerOf(randomBytes(100)), session: 'harbour/full', fileName: 'full.jsonl' };
  await offerTo(known);
  const mend = await breakStore('53100');
  // The known one has a row already; of the fresh one there is nothing.
  heldUp.add(known.archive, null, "The disk of the server's database is full.");
  expect((await offerTo(fresh)).status).toBe(507);
  expect((await offerTo(fresh)).status).toBe(507);
  const list = (parameters: Parameters<typeof listTranscripts>[1] = {}) =>
    listTranscripts(sql, parameters, { heldUp });
  const told = {
    reason: "The disk of the server's database is full.",
    since: expect.any(String),
    lastTriedAt: expect.any(String),
  };
  const { transcripts, total } = await list();
  const of = (archive: string) => transcripts.find((row) => row.archive === archive);
  expect(of(known.archive)).toMatchObject({ state: 'uploading', heldUp: { ...told, tries: 1 } });
  expect(of(fresh.archive)).toMatchObject({
    id: fresh.archive,
    state: 'failed',
    project: fresh.project,
    sessionKey: 'harbour/full',
    fileName: 'full.jsonl',
    bytes: 100,
    at: new Date(fresh.at).toISOString(),
    heldUp: { ...told, tries: 2 },
  });
  expect(total).toBe(transcripts.length);
  // It is found, counted and turned over like any other.
  expect((await list({ session: 'harbour/full', state: ['failed'] })).total).toBe(1);
  expect((await list({ session: 'harbour/full', state: ['stored'] })).total).toBe(0);
  expect((await list({ project: ['elsewhere'] })).total).toBe(0);
  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await list({ limit: 1, sort: 'session', ...(cursor !== undefined && { cursor }) });
    seen.push(...page.transcripts.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  expect(seen.toSorted()).toEqual(transcripts.map(({ id }) => id).toSorted());
  expect((await loadTranscript(sql, fresh.archive, heldUp))?.transcript.heldUp).toMatchObject(told);
  expect(await loadTranscript(sql, fresh.archive)).toBeNull();

  await mend();
  expect((await offerTo(fresh)).status).toBe(200);
  heldUp.end(known.archive);
  const healed = await list();
  expect(healed.total).toBe(total);
  expect(healed.transcripts.every((row) => row.heldUp === null)).toBe(true);
  const byArchive = await loadTranscript(sql, fresh.archive, heldUp);
  expect(byArchive?.transcript).toMatchObject({ state: 'uploading', archive: fresh.archive });
  expect(byArchive?.transcript.id).not.toBe(fresh.archive);
});

it('what is refused for good is no longer held up', async () => {
  const { sql } = database;
  const offer = { ...offerOf(randomBytes(100)), project: 'narrow' };
  const mend = await breakStore('53100');
  expect((await offerTo(offer)).status).toBe(507);
  await mend();
  await sql`insert into projects (name) values ('narrow') on conflict do nothing`;
  await sql`update projects set settings = ${sql.json({ transcripts: { maxArchiveBytes: 10 } })} where name = 'narrow'`;
  expect((await offerTo(offer)).status).toBe(413);
  const loaded = await loadTranscript(sql, offer.archive, server.heldUp);
  expect(loaded?.transcript).toMatchObject({ state: 'failed', heldUp: null });
});

it('of a very long offer only what is shown is remembered, and the oldest is forgotten beyond some thousands', async () => {
  const { sql } = database;
  const heldUp = holdUpArchives({ sql, log: pino({ level: 'silent' }), intervalMs: 3_600_000 });
  const offer = { ...offerOf(randomBytes(100)), summary: 'long', chunks: Array(65_536).fill('0'.repeat(64)) };
  const archives = Array.from({ length: 5_001 }, () => randomUUID());
  for (const archive of archives) heldUp.add(archive, { ...offer, archive }, 'The disk was full.');
  expect(heldUp.offered()).toHaveLength(5_000);
  expect(heldUp.find(archives[0] ?? '')).toBeNull();
  expect(JSON.stringify(heldUp.find(archives[5_000] ?? '')).length).toBeLessThan(1_000);
  await heldUp.close();
});

it('what came in before it could be said has an entry all the same, and no reason', async () => {
  const { sql } = database;
  const heldUp = holdUpArchives({ sql, log: pino({ level: 'silent' }), intervalMs: 3_600_000 });
  const offer = offerOf(randomBytes(100));
  heldUp.add(offer.archive, offer, 'The disk was full.');
  expect(heldUp.isOffer(offer.archive)).toBe(true);
  await offerArchive(sql, createPostgresStore(sql), offer);
  heldUp.end(offer.archive);
  await expect.poll(async () => (await entriesOf(offer.archive)).length).toBe(1);
  expect(await rowOf(offer.archive)).toEqual({ state: 'uploading', reason: null });
  await expect.poll(() => heldUp.isOffer(offer.archive)).toBe(false);
  await heldUp.close();
});

it('what is held up for long is said once', async () => {
  const { sql } = database;
  const heldUp = holdUpArchives({ sql, log: pino({ level: 'silent' }), intervalMs: 1 });
  const offer = offerOf(randomBytes(100));
  heldUp.add(offer.archive, offer, 'The disk was full.');
  await expect.poll(async () => (await entriesOf(offer.archive)).length).toBe(1);
  const marker = offerOf(randomBytes(100));
  heldUp.add(offer.archive, offer, 'The disk was full.');
  heldUp.add(marker.archive, marker, 'The disk was full.');
  await expect.poll(async () => (await entriesOf(marker.archive)).length).toBe(1);
  expect(await entriesOf(offer.archive)).toHaveLength(1);
  await heldUp.close();
});
