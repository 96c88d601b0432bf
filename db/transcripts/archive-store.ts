/** Bytes of chunks outside of the database: objects in a folder (`file:///…`) or in S3 (`s3://…`), one per chunk. */
import type postgres from 'postgres';
import { folderStore } from './folder-store';
import type { ArchiveStoreSettings, ObjectStore } from './object-store';

/** The store is away, full, or another one. A retry may succeed, and no chunk is damaged. */
export class ArchiveStoreError extends Error {
  override readonly name = 'ArchiveStoreError';
  readonly code = 'ARCHIVE_STORE';
  readonly isFull: boolean;
  constructor(store: string, cause: unknown) {
    const { code, message, name } = cause as { code?: string; message?: string; name?: string };
    super(`The archive store ${store} cannot be used: ${message || code || name}`);
    this.isFull = code === 'ENOSPC' || code === 'EDQUOT';
  }
}

const IN_POSTGRES = { address: null, endpoint: null, region: null, pathStyle: false };
let settings: ArchiveStoreSettings = IN_POSTGRES;
let s3: Promise<ObjectStore> | null = null;

export function setArchiveStore(chosen: ArchiveStoreSettings = IN_POSTGRES): void {
  settings = chosen;
  s3 = null;
}

/** Place of new chunks; null: PostgreSQL. */
export const archiveStore = (): string | null => settings.address;

async function use<T>(address: string, work: (store: ObjectStore) => Promise<T>): Promise<T> {
  try {
    if (!address.startsWith('s3:')) return await work(folderStore);
    // Loaded only when it is needed, because the client is large.
    s3 ??= import('./s3-store').then(({ createS3Store }) => createS3Store(settings));
    return await work(await s3);
  } catch (error) {
    throw new ArchiveStoreError(storeOf(address), error);
  }
}

/** @throws ArchiveStoreError, as the functions below */
export const putObject = (address: string, data: Buffer) => use(address, (store) => store.put(address, data));
export const removeObject = (address: string) => use(address, (store) => store.remove(address));

/** Null: there is no such object, although the store is the right one. */
export async function getObject(address: string): Promise<Buffer | null> {
  const data = await use(address, (store) => store.get(address));
  if (data === null && !(await hasMark(storeOf(address)))) throw notMarked(storeOf(address));
  return data;
}

/** The store of an object `STORE/PROJECT/NAME`. */
const storeOf = (address: string): string => address.replace(/(\/[^/]+){2}$/, '');

/** An object that the server writes first. Where it is missing, another folder or bucket is in the place of the store. */
const markOf = (store: string): string => `${store}/barograph/archive-store`;

const hasMark = async (store: string): Promise<boolean> =>
  (await use(markOf(store), (objects) => objects.get(markOf(store)))) !== null;

const notMarked = (store: string): ArchiveStoreError =>
  new ArchiveStoreError(
    store,
    new Error('it is empty or another one, because barograph/archive-store is missing'),
  );

/**
 * Check the place of new chunks, and mark an unused one.
 * @param sql a client without a limit to projects
 */
export async function checkArchiveStore(sql: postgres.Sql): Promise<void> {
  const store = archiveStore();
  if (store === null || (await hasMark(store))) return;
  const used = await sql`select from transcript_chunks where starts_with(address, ${`${store}/`}) limit 1`;
  if (used.length > 0) throw notMarked(store);
  await putObject(markOf(store), Buffer.from('Barograph keeps the bytes of archives here.\n'));
}
