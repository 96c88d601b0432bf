/** The end of an upload: what it costs, and what it does not let through. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHUNK_BYTES } from '../../core/api/transcripts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { completeArchive } from './complete-archive';
import { createPostgresStore } from './postgres-store';
import { createReadBacks } from './read-back';
import type { TranscriptStore } from './transcript-store';
import { handOver, hashOf, splitChunks } from './transcripts-testing';

let database: TestDatabase;
let plain: TranscriptStore;
/** Counts the files that are read, and says when one was. */
let store: TranscriptStore;
let reads = 0;
let onRead: (() => Promise<void>) | null = null;
beforeAll(async () => {
  database = await createTestDatabase();
  plain = createPostgresStore(database.sql);
  store = {
    ...plain,
    async *read(...range) {
      reads += 1;
      yield* plain.read(...range);
      await onRead?.();
    },
  };
});
afterAll(() => database.close());
beforeEach(() => {
  reads = 0;
  onRead = null;
});

async function keepAll(bytes: number) {
  const file = randomBytes(bytes);
  const { offer, id, result } = await handOver(database.sql, plain, file);
  return { file, offer, id, result };
}

async function stateOf(archive: string) {
  const [row] =
    await database.sql`select state, verified_at as "verifiedAt" from transcripts where archive = ${archive}`;
  return row;
}

/** As before its end. */
const reopen = (id: number) =>
  database.sql`update transcripts set state = 'uploading', verified_at = null where id = ${id}`;

describe('an upload that is ended again', () => {
  it('is cached until a row changes or ten minutes pass', async () => {
    const { offer } = await keepAll(CHUNK_BYTES + 10);
    let now = 0;
    const readBacks = createReadBacks(store, { now: () => now, maxAgeMs: 1_000 });
    const end = () => completeArchive(database.sql, store, offer.archive, { readBacks });
    const first = await end();
    expect(first).toMatchObject({ progress: { state: 'stored', missing: [] } });
    for (let n = 0; n < 5; n += 1) expect(await end()).toEqual(first);
    expect(reads).toBe(1);
    now = 1_001;
    const later = await end();
    expect(reads).toBe(2);
    expect(later).toMatchObject({ progress: { state: 'stored' } });
    const verifiedAt = (result: typeof first) =>
      result.type === 'taken' ? Date.parse(result.progress.verifiedAt ?? '') : Number.NaN;
    expect(verifiedAt(later)).toBeGreaterThan(verifiedAt(first));
    expect((await stateOf(offer.archive))?.verifiedAt.getTime()).toBe(verifiedAt(later));
  });

  it('is read again when a chunk was written to, and its word alone is not taken', async () => {
    const { offer, file } = await keepAll(2 * CHUNK_BYTES);
    const readBacks = createReadBacks(store);
    const end = () => completeArchive(database.sql, store, offer.archive, { readBacks });
    await end();
    const [, second] = splitChunks(file) as [Buffer, Buffer];
    await database.sql`
      update transcript_chunks set data = set_byte(data, 5, (get_byte(data, 5) + 1) % 256)
      where sha256 = decode(${hashOf(second)}, 'hex')`;
    expect(await end()).toMatchObject({ progress: { state: 'uploading', missing: [hashOf(second)] } });
    await database.sql`delete from transcript_chunks where sha256 = decode(${offer.chunks[0] ?? ''}, 'hex')`;
    expect(await end()).toMatchObject({ progress: { state: 'uploading', missing: offer.chunks } });
  });

  it('by many at once is read once', async () => {
    const { offer, id } = await keepAll(CHUNK_BYTES + 10);
    await reopen(id);
    const readBacks = createReadBacks(store);
    const ends = await Promise.all(
      Array.from({ length: 6 }, () => completeArchive(database.sql, store, offer.archive, { readBacks })),
    );
    for (const end of ends) expect(end).toMatchObject({ progress: { state: 'stored' } });
    expect(reads).toBe(1);
  });
});

describe('what changes while it is read back', () => {
  it.each(['sha256', 'bytes'])(
    'with another %s than offered is not stored as the old one',
    async (column) => {
      const { offer, id } = await keepAll(3_000);
      await reopen(id);
      const { sql } = database;
      onRead = async () => {
        onRead = null;
        if (column === 'bytes') await sql`update transcripts set bytes = bytes + 1 where id = ${id}`;
        else await sql`update transcripts set sha256 = ${hashOf(Buffer.from('other'))} where id = ${id}`;
      };
      expect(await completeArchive(sql, store, offer.archive)).toMatchObject({
        progress: { state: 'uploading' },
      });
      expect(await stateOf(offer.archive)).toEqual({ state: 'uploading', verifiedAt: null });
      // Looked at again, it is not what the row says.
      expect(await completeArchive(sql, store, offer.archive)).toMatchObject({
        type: 'refused',
        refusal: { code: 'wrong_hash' },
      });
    },
  );

  it('as the list of its chunks is not stored', async () => {
    const { offer, id } = await keepAll(3_000);
    const other = await keepAll(3_000);
    await reopen(id);
    const { sql } = database;
    onRead = async () => {
      onRead = null;
      await sql`
        update transcript_parts set sha256 = decode(${other.offer.sha256}, 'hex') where transcript_id = ${id}`;
    };
    expect(await completeArchive(sql, store, offer.archive)).toMatchObject({
      progress: { state: 'uploading' },
    });
    expect(await stateOf(offer.archive)).toEqual({ state: 'uploading', verifiedAt: null });
  });
});

it('marks a stored archive whose chunks make another file, and keeps its chunks', async () => {
  const { offer, id } = await keepAll(3_000);
  const other = await keepAll(3_000);
  const { sql } = database;
  await sql`update transcript_parts set sha256 = decode(${other.offer.sha256}, 'hex') where transcript_id = ${id}`;
  expect(await completeArchive(sql, store, offer.archive)).toMatchObject({
    type: 'refused',
    refusal: { status: 422, code: 'wrong_hash' },
  });
  expect(await stateOf(offer.archive)).toMatchObject({ state: 'damaged' });
  expect(await completeArchive(sql, store, randomUUID())).toMatchObject({ refusal: { status: 404 } });
});
