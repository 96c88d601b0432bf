/**
 * Chunks in an archive store. An object is in `unreferenced_objects` before it is stored, until a chunk refers to it, and
 * again from the removal of the chunk. Its name is unique, so removing it never affects a later upload of the same bytes.
 */
import { randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import { transact } from '../transact';
import {
  ArchiveStoreError,
  archiveStore,
  checkArchiveStore,
  getObject,
  putObject,
  removeObject,
} from './archive-store';
import type { StoredChunk } from './pack-chunk';

/** @returns the object's address; null: the bytes belong into the chunk's row */
export async function storeObject(
  sql: postgres.Sql,
  transcriptId: number,
  sha256: string,
  data: Buffer,
): Promise<string | null> {
  const store = archiveStore();
  if (store === null) return null;
  await checkArchiveStore(sql);
  const name = `${sha256}-${randomBytes(6).toString('hex')}`;
  const [object] = await sql<{ address: string }[]>`
    insert into unreferenced_objects (address, project_id, remove_at)
    select concat_ws('/', ${store}::text, project_id, ${name}::text), project_id, now() + interval '1 hour'
    from transcripts where id = ${transcriptId} returning address`;
  if (!object) return null;
  await putObject(object.address, data);
  return object.address;
}

/** In the transaction that adds the chunk. @throws ArchiveStoreError if the upload took so long that its object was removed */
export async function keepObject(tx: postgres.TransactionSql, address: string): Promise<void> {
  const kept = await tx`delete from unreferenced_objects where address = ${address} returning 1`;
  if (kept.length === 0)
    throw new ArchiveStoreError(archiveStore() ?? '', new Error('an upload took too long'));
}

/** A chunk's row with its bytes. @throws ArchiveStoreError */
export async function loadObject<T extends StoredChunk>(chunk: T & { address: string | null }): Promise<T> {
  return chunk.address === null ? chunk : { ...chunk, data: await getObject(chunk.address) };
}

/** Delete chunks; their objects are removed after the commit. */
export async function deleteChunks(tx: postgres.TransactionSql, which: postgres.Fragment): Promise<void> {
  await tx`
    with deleted as (delete from transcript_chunks c where ${which} returning c.address, c.project_id)
    insert into unreferenced_objects (address, project_id)
    select address, project_id from deleted where address is not null`;
}

const AT_ONCE = 100;
const RETRY_MINUTES = 10;

/** @returns the number of removed objects, and why others are still there; a later call retries them */
export function removeUnreferenced(sql: postgres.Sql): Promise<{ removed: number; failure: unknown }> {
  return transact(sql, async (tx) => {
    // The column rounds to milliseconds, so without the same rounding a time of just now could be later than now().
    const rows = await tx<{ address: string }[]>`
      select address from unreferenced_objects where remove_at <= now()::timestamptz(3) order by remove_at limit ${AT_ONCE}
      for update skip locked`;
    const results = await Promise.allSettled(rows.map(({ address }) => removeObject(address)));
    const removed = rows.filter((_, index) => results[index]?.status === 'fulfilled');
    await tx`
      update unreferenced_objects set remove_at = now() + make_interval(mins => ${RETRY_MINUTES}::int)
      where address = any(${rows.map(({ address }) => address)}::text[])`;
    await tx`delete from unreferenced_objects where address = any(${removed.map(({ address }) => address)}::text[])`;
    const failed = results.find((result) => result.status === 'rejected');
    return { removed: removed.length, failure: failed?.reason ?? null };
  });
}
