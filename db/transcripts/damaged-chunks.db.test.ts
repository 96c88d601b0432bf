/** Bytes damaged at rest: detection, marking and repair. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CHUNK_BYTES } from '../../core/api/transcripts';
import { createTestFeed, testTurn } from '../queries/testing-feed';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { applyRetention } from './apply-retention';
import { findMissing, readRange } from './chunk-store';
import { completeArchive, healDamaged } from './complete-archive';
import { offerArchive } from './offer-archive';
import * as packing from './pack-chunk';
import { handOver, hashOf, linesOf, splitChunks } from './transcripts-testing';

// The mock must not leak into other files of this process.
vi.hoisted(() => vi.resetModules());
const trouble = vi.hoisted(() => ({
  /** Replaces the result of one read. */
  open: null as null | (() => Promise<Buffer | null>),
}));
vi.mock('./pack-chunk', async (importOriginal) => {
  const original = await importOriginal<typeof packing>();
  return {
    ...original,
    async openChunk(chunk: packing.StoredChunk) {
      const { open } = trouble;
      trouble.open = null;
      return open ? open() : original.openChunk(chunk);
    },
  };
});

let database: TestDatabase;
let project: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  vi.doUnmock('./pack-chunk');
  vi.resetModules();
  await database.close();
});
beforeEach(() => {
  project = `p-${randomUUID()}`;
  trouble.open = null;
});

const keep = (file: Buffer, session = 'one', archive: string = randomUUID()) =>
  handOver(database.sql, file, { project, session, archive });

async function rowOf(archive: string) {
  const [row] = await database.sql<{ id: number; publicId: string; state: string; reason: string | null }[]>`
    select id, public_id as "publicId", state, reason from transcripts where archive = ${archive}`;
  if (!row) throw new Error('there is no such archive');
  return row;
}

async function actionsOf(archive: string): Promise<string[]> {
  const rows = await database.sql<{ action: string }[]>`
    select a.action from audit_log a join transcripts t on t.public_id = a.transcript
    where t.archive = ${archive} order by a.id`;
  return rows.map(({ action }) => action);
}

const bytesOf = (id: number) => readRange(database.sql, id).then(hashOf);

/** Different bytes of the same length. */
async function replace(sha256: string): Promise<void> {
  const { encoding, data } = await packing.packChunk(linesOf(CHUNK_BYTES));
  const replaced = await database.sql`
    update transcript_chunks set data = ${data}, encoding = ${encoding}
    where sha256 = decode(${sha256}, 'hex') returning 1`;
  expect(replaced).toHaveLength(1);
}

/** Dates the last verification an hour back. */
const forget = (archive: string) =>
  database.sql`update transcripts set verified_at = now() - interval '1 hour' where archive = ${archive}`;

describe('a failing read', () => {
  it.each([
    ['a failed allocation', () => Promise.reject(new RangeError('Array buffer allocation failed'))],
    ['a lost connection', () => Promise.reject(Object.assign(new Error('x'), { code: 'CONNECTION_CLOSED' }))],
  ])('removes and marks nothing for %s', async (_, fail) => {
    const file = linesOf(50_000);
    const { offer, id } = await keep(file);
    trouble.open = fail;
    await expect(readRange(database.sql, id)).rejects.not.toMatchObject({ name: 'ChunkDamagedError' });
    expect(await findMissing(database.sql, id)).toEqual([]);
    expect(await rowOf(offer.archive)).toMatchObject({ state: 'stored', reason: null });
    expect(await bytesOf(id)).toBe(offer.sha256);
  });

  it('returns the bytes of the second read', async () => {
    const file = linesOf(50_000);
    const { offer, id } = await keep(file);
    trouble.open = () => Promise.resolve(null);
    expect(await bytesOf(id)).toBe(offer.sha256);
    expect(await rowOf(offer.archive)).toMatchObject({ state: 'stored', reason: null });
    expect(await actionsOf(offer.archive)).toEqual([]);
  });
});

describe('a damaged chunk', () => {
  it('marks every archive that has it, and is repaired by the next upload of the same bytes', async () => {
    const feed = await createTestFeed(database.sql, { project });
    await feed.tell(testTurn('one', 1_000));
    const shared = linesOf(CHUNK_BYTES);
    const [first, second] = [linesOf(900), linesOf(800)];
    const a = await keep(Buffer.concat([shared, first]));
    const b = await keep(Buffer.concat([shared, second]), 'two');
    const apart = await keep(linesOf(700), 'three');
    await replace(hashOf(shared));
    const [before] = await database.sql`select version from sessions where key = 'one'`;
    await expect(readRange(database.sql, a.id)).rejects.toMatchObject({ name: 'ChunkDamagedError' });
    for (const { offer, id } of [a, b]) {
      expect(await rowOf(offer.archive)).toMatchObject({
        state: 'damaged',
        reason: '1 of its 2 chunks changed on disk; the next upload of the same bytes repairs it',
      });
      expect(await findMissing(database.sql, id)).toEqual([hashOf(shared)]);
      expect(await actionsOf(offer.archive)).toEqual(['transcript_damaged']);
    }
    expect(await rowOf(apart.offer.archive)).toMatchObject({ state: 'stored' });
    const [after] = await database.sql`select version from sessions where key = 'one'`;
    expect(after?.version).toBe((before?.version ?? 0) + 1);

    const c = await keep(Buffer.concat([shared, linesOf(600)]), 'four');
    expect(c.missing).toContain(hashOf(shared));
    expect(await healDamaged(database.sql)).toBe(2);
    for (const { offer, id } of [a, b]) {
      expect(await rowOf(offer.archive)).toMatchObject({ state: 'stored', reason: null });
      expect(await bytesOf(id)).toBe(offer.sha256);
      expect(await actionsOf(offer.archive)).toEqual(['transcript_damaged', 'transcript_healed']);
    }
  });

  it('is found with all other damaged chunks when the upload is completed again', async () => {
    const file = linesOf(3 * CHUNK_BYTES + 10);
    const { offer } = await keep(file);
    const [, second, third] = splitChunks(file) as [Buffer, Buffer, Buffer];
    await replace(hashOf(second));
    await replace(hashOf(third));
    await forget(offer.archive);
    expect(await completeArchive(database.sql, offer.archive)).toMatchObject({
      state: 'uploading',
      missing: [hashOf(second), hashOf(third)],
      verifiedAt: null,
    });
    expect(await rowOf(offer.archive)).toMatchObject({
      state: 'damaged',
      reason: '2 of its 4 chunks changed on disk; the next upload of the same bytes repairs it',
    });
    const again = await keep(file, 'one', offer.archive);
    expect(again.missing).toEqual([hashOf(second), hashOf(third)]);
    expect(again.result).toMatchObject({ state: 'stored' });
    expect(await actionsOf(offer.archive)).toEqual(['transcript_damaged', 'transcript_healed']);
  });

  it('keeps the archive damaged after a new offer until all bytes are read back', async () => {
    const file = linesOf(5_000);
    const { offer, id } = await keep(file);
    await replace(offer.sha256);
    await readRange(database.sql, id).catch(() => undefined);
    expect(await offerArchive(database.sql, offer)).toMatchObject({
      state: 'uploading',
      missing: [offer.sha256],
    });
    const row = await rowOf(offer.archive);
    expect(row.state).toBe('damaged');
    expect(row.reason).toContain('changed on disk');
  });
});

it('retention continues past a transcript that cannot be deleted, and reports it', async () => {
  const { sql } = database;
  const files = await Promise.all(
    [linesOf(900), linesOf(800), linesOf(700)].map((file, n) => keep(file, `s${n}`)),
  );
  const stuck = await rowOf(files[0]?.offer.archive ?? '');
  await sql`
    update projects set settings = ${JSON.stringify({ transcripts: { keepDays: 1 } })}::text::jsonb
    where name = ${project}`;
  await sql`
    create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'not this one' using errcode = 'XX001'; end $$`;
  await sql.unsafe(
    `create trigger refuse before delete on transcript_files for each row when (old.transcript_id = ${stuck.id}) execute function refuse()`,
  );
  const failed: string[] = [];
  const gone: string[] = [];
  const onFailure = (_: unknown, transcript: string): void => void failed.push(transcript);
  for await (const { transcript } of applyRetention(sql, onFailure)) gone.push(transcript);
  expect(failed).toEqual([stuck.publicId]);
  expect(gone).toHaveLength(2);
  await sql`drop function refuse cascade`;
  for await (const { transcript } of applyRetention(sql)) gone.push(transcript);
  expect(gone[2]).toBe(stuck.publicId);
});
