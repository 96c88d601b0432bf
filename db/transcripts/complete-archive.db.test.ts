/** The end of an upload: how often the bytes are read, and which files are refused. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHUNK_BYTES } from '../../core/api/transcripts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { transact } from '../transact';
import { lockProject } from './change-transcript';
import { completeArchive } from './complete-archive';
import { handOver, hashOf, splitChunks } from './transcripts-testing';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

async function keep(bytes: number) {
  const file = randomBytes(bytes);
  return { file, ...(await handOver(database.sql, file)) };
}

async function stateOf(archive: string) {
  const [row] =
    await database.sql`select state, verified_at as "verifiedAt" from transcripts where archive = ${archive}`;
  return row;
}

/** Set a column of a transcript. */
const set = (id: number, column: string, value: string | number | null) =>
  database.sql`update transcripts set ${database.sql({ [column]: value })} where id = ${id}`;

/** The state before the end of the upload. */
const reopen = async (id: number) => {
  await set(id, 'state', 'uploading');
  await set(id, 'verified_at', null);
};

it('trusts a verification for ten minutes, then reads the bytes again', async () => {
  const { sql } = database;
  const { offer, file, id, result } = await keep(2 * CHUNK_BYTES);
  expect(result).toMatchObject({ state: 'stored', missing: [] });
  expect(await completeArchive(sql, offer.archive)).toEqual(result);
  await set(id, 'verified_at', '2026-01-01T00:00:00Z');
  const later = await completeArchive(sql, offer.archive);
  expect(Date.parse(later.verifiedAt ?? '')).toBeGreaterThan(Date.parse(result.verifiedAt ?? ''));
  const [, second] = splitChunks(file) as [Buffer, Buffer];
  await sql`
    update transcript_chunks set data = set_byte(data, 5, (get_byte(data, 5) + 1) % 256)
    where sha256 = decode(${hashOf(second)}, 'hex')`;
  await set(id, 'verified_at', '2026-01-01T00:00:00Z');
  expect(await completeArchive(sql, offer.archive)).toMatchObject({
    state: 'uploading',
    missing: [hashOf(second)],
  });
  await sql`delete from transcript_chunks where sha256 = decode(${offer.chunks[0] ?? ''}, 'hex')`;
  expect(await completeArchive(sql, offer.archive)).toMatchObject({
    state: 'uploading',
    missing: offer.chunks,
  });
});

it.each(['sha256', 'bytes', 'chunks'])(
  'stores nothing if the %s change during the verification',
  async (what) => {
    const { sql } = database;
    const { offer, id } = await keep(3_000);
    const other = await keep(3_000);
    await reopen(id);
    const [row] = await sql<{ projectId: number }[]>`
      select project_id as "projectId" from transcripts where id = ${id}`;
    let completing: ReturnType<typeof completeArchive> | undefined;
    await transact(sql, async (tx) => {
      // Reading the bytes needs no lock; completing the upload waits for it.
      await lockProject(tx, row?.projectId ?? 0);
      completing = completeArchive(sql, offer.archive);
      const waiting = async () => {
        const [found] = await sql`select count(*)::int as n from pg_locks where not granted`;
        return found?.n;
      };
      await expect.poll(waiting).toBeGreaterThan(0);
      if (what === 'bytes') await set(id, 'bytes', 3_001);
      else if (what === 'sha256') await set(id, 'sha256', other.offer.sha256);
      else {
        await sql`
          update transcript_parts set sha256 = decode(${other.offer.sha256}, 'hex') where transcript_id = ${id}`;
      }
    });
    expect(await completing).toMatchObject({ state: 'uploading' });
    expect(await stateOf(offer.archive)).toEqual({ state: 'uploading', verifiedAt: null });
    // The second verification does not match the row.
    await expect(completeArchive(sql, offer.archive)).rejects.toMatchObject({ code: 'wrong_hash' });
  },
);

it('marks a stored archive as damaged if its chunks form another file, and keeps them', async () => {
  const { offer, id } = await keep(3_000);
  const other = await keep(3_000);
  const { sql } = database;
  await sql`update transcript_parts set sha256 = decode(${other.offer.sha256}, 'hex') where transcript_id = ${id}`;
  await set(id, 'verified_at', null);
  const refused = completeArchive(sql, offer.archive);
  await expect(refused).rejects.toMatchObject({ status: 422, code: 'wrong_hash' });
  expect(await stateOf(offer.archive)).toMatchObject({ state: 'damaged' });
  await expect(completeArchive(sql, randomUUID())).rejects.toMatchObject({ status: 404 });
});
