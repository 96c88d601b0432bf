/** Archives with their bytes in a folder, and in S3. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CHUNK_BYTES } from '../../core/api/transcripts';
import { listMissingBytes } from '../backup/write-backup';
import { openTestDatabase } from '../testing/test-database';
import { checkArchiveStore, getObject, putObject, removeObject, setArchiveStore } from './archive-store';
import { removeUnreferenced } from './chunk-objects';
import { readRange } from './chunk-store';
import { completeArchive, healDamaged } from './complete-archive';
import { deleteTranscript } from './end-transcript';
import type { ArchiveStoreSettings } from './object-store';
import { CREDENTIALS, startS3 } from './s3-testing';
import { handOver, hashOf, linesOf } from './transcripts-testing';

const { sql } = await openTestDatabase();
const s3 = await startS3();
const folder = await mkdtemp(join(tmpdir(), 'barograph-archives-'));
const inFolder = { ...s3.settings, address: pathToFileURL(join(folder, 'store')).href };
afterAll(async () => {
  await s3.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  for (const [name, value] of Object.entries(CREDENTIALS)) vi.stubEnv(name, value);
});
afterEach(() => setArchiveStore());

const keep = (file: Buffer, project = 'shop') => handOver(sql, file, { project });
const bytesOf = async (id: number) => hashOf(await readRange(sql, id));

async function addressesOf(id: number): Promise<string[]> {
  const rows = await sql<{ address: string | null }[]>`
    select c.address from transcript_parts p join transcript_chunks c using (project_id, sha256)
    where p.transcript_id = ${id} order by p.index`;
  return rows.map(({ address }) => address ?? 'in PostgreSQL');
}
const unreferenced = async () => (await sql`select from unreferenced_objects`).length;
const stateOf = async (id: number) => (await sql`select state from transcripts where id = ${id}`)[0]?.state;

/** Remove what earlier tests left. */
const sweep = async () => expect(await removeUnreferenced(sql)).toMatchObject({ failure: null });

describe.each<[string, ArchiveStoreSettings]>([
  ['a folder', inFolder],
  ['S3', s3.settings],
])('an archive in %s', (_, store) => {
  beforeEach(() => setArchiveStore(store));

  it('is read back', async () => {
    const file = Buffer.concat([linesOf(CHUNK_BYTES), randomBytes(5_000)]);
    const { id, result, offer } = await keep(file);
    expect(result).toMatchObject({ state: 'stored', missing: [] });
    expect(await bytesOf(id)).toBe(offer.sha256);
    for (const address of await addressesOf(id)) expect(address).toContain(`${store.address}/`);
    expect(await unreferenced()).toBe(0);
    expect((await listMissingBytes(sql)).join()).toContain(`, which are in ${store.address}.`);
  });

  it('shares no object with the same bytes of another project', async () => {
    const file = linesOf(5_000);
    const first = await keep(file, 'mine');
    const second = await keep(file, 'theirs');
    expect(second.missing).toHaveLength(1);
    const objects = [...(await addressesOf(first.id)), ...(await addressesOf(second.id))];
    expect(new Set(objects).size).toBe(2);
    for (const address of objects) expect(address).toContain(`/${first.offer.sha256}-`);
    await deleteTranscript(sql, first.result.id, { reason: 'x', actor: 'x', action: 'transcript_deleted' });
    await sweep();
    expect(await getObject(objects[0] ?? '')).toBeNull();
    expect(await bytesOf(second.id)).toBe(second.offer.sha256);
  });

  it('loses its objects after its deletion, but not those of a later upload of the same bytes', async () => {
    const file = linesOf(7_000);
    const before = await keep(file);
    const [old = ''] = await addressesOf(before.id);
    await deleteTranscript(sql, before.result.id, { reason: 'x', actor: 'x', action: 'transcript_deleted' });
    expect(await getObject(old)).not.toBeNull();
    const after = await keep(file);
    expect(await unreferenced()).toBe(1);
    await sweep();
    expect(await unreferenced()).toBe(0);
    expect(await getObject(old)).toBeNull();
    expect(await bytesOf(after.id)).toBe(after.offer.sha256);
  });

  it.each([
    ['is damaged', (address: string) => putObject(address, randomBytes(100))],
    ['is missing', removeObject],
  ])('is marked if an object %s, and repaired by the next upload', async (_state, spoil) => {
    const file = linesOf(9_000);
    const { id, offer } = await keep(file);
    const [address = ''] = await addressesOf(id);
    await spoil(address);
    await expect(readRange(sql, id)).rejects.toMatchObject({ name: 'ChunkDamagedError' });
    expect(await stateOf(id)).toBe('damaged');
    const again = await keep(file);
    expect(again.missing).toEqual([offer.sha256]);
    expect(await healDamaged(sql)).toBe(1);
    await sweep();
    expect(await stateOf(id)).toBe('stored');
    expect(await bytesOf(id)).toBe(offer.sha256);
  });

  it('stays readable after a change of the setting', async () => {
    const { id, offer } = await keep(linesOf(3_000));
    setArchiveStore({ ...store, address: null });
    const later = await keep(linesOf(4_000));
    expect(await addressesOf(later.id)).toEqual(['in PostgreSQL']);
    expect(await bytesOf(id)).toBe(offer.sha256);
    setArchiveStore({ ...store, address: `${store.address}/new` });
    const last = await keep(linesOf(2_000));
    for (const kept of [later, last]) expect(await bytesOf(kept.id)).toBe(kept.offer.sha256);
    expect(await bytesOf(id)).toBe(offer.sha256);
  });

  it('leaves an object of an interrupted upload, which is removed an hour later', async () => {
    await sweep();
    const file = linesOf(1_000);
    await sql`
      create or replace function refuse() returns trigger language plpgsql as
        $$ begin raise exception 'cut' using errcode = 'XX001'; end $$`;
    await sql`create trigger refuse before insert on transcript_chunks execute function refuse()`;
    await expect(keep(file)).rejects.toThrow();
    await sql`drop trigger refuse on transcript_chunks`;
    expect(await unreferenced()).toBe(1);
    await sweep();
    expect(await unreferenced()).toBe(1);
    await sql`update unreferenced_objects set remove_at = now()`;
    await sweep();
    expect(await unreferenced()).toBe(0);
  });
});

it('an empty folder in the place of a store is an outage, and damages nothing', async () => {
  setArchiveStore(inFolder);
  const { id, offer } = await keep(linesOf(6_000));
  const place = fileURLToPath(inFolder.address);
  await rename(place, `${place}-unmounted`);
  const reason = `The archive store ${inFolder.address} cannot be used: it is empty or another one`;
  await expect(readRange(sql, id)).rejects.toThrow(reason);
  await expect(checkArchiveStore(sql)).rejects.toThrow(reason);
  await expect(keep(linesOf(100))).rejects.toThrow(reason);
  expect(await stateOf(id)).toBe('stored');
  await rename(`${place}-unmounted`, place);
  expect(await bytesOf(id)).toBe(offer.sha256);
});

it('a wrong bucket or S3 server is an outage, and damages nothing', async () => {
  setArchiveStore(s3.settings);
  const { id, offer } = await keep(linesOf(6_000));
  const other = await startS3();
  setArchiveStore(other.settings);
  await expect(readRange(sql, id)).rejects.toThrow('it is empty or another one');
  await expect(keep(linesOf(100))).rejects.toThrow('it is empty or another one');
  await other.close();
  await expect(readRange(sql, id)).rejects.toMatchObject({ name: 'ArchiveStoreError' });
  setArchiveStore({ ...s3.settings, address: 's3://no-such-bucket' });
  await expect(checkArchiveStore(sql)).rejects.toThrow(
    'The archive store s3://no-such-bucket cannot be used',
  );
  setArchiveStore(s3.settings);
  expect(await completeArchive(sql, offer.archive)).toMatchObject({ state: 'stored' });
  expect(await bytesOf(id)).toBe(offer.sha256);
});
