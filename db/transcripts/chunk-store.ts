/**
 * Bytes of transcripts. Chunks are addressed by their content within a project, compressed, and never rewritten. Their
 * rows are in PostgreSQL, their bytes there or in an archive store.
 */
import type postgres from 'postgres';
import { CHUNK_BYTES } from '../../core/api/transcripts';
import { transact } from '../transact';
import { lockProject } from './change-transcript';
import { deleteChunks, keepObject, loadObject, storeObject } from './chunk-objects';
import { removeDamagedChunk } from './mark-damaged';
import { openChunk, packChunk, type StoredChunk } from './pack-chunk';

interface NewFile {
  projectId: number;
  transcriptId: number;
  bytes: number;
  /** SHA-256 of each chunk in order, hexadecimal. Each chunk except the last has `CHUNK_BYTES` bytes. */
  chunks: readonly string[];
}

export class TranscriptGoneError extends Error {
  override readonly name = 'TranscriptGoneError';
  constructor() {
    super('the transcript is not stored, or was deleted');
  }
}

export class ChunkDamagedError extends Error {
  override readonly name = 'ChunkDamagedError';
  constructor(readonly sha256: string) {
    super(`the stored chunk ${sha256} is missing or damaged`);
  }
}

/** Add the file unless it exists. The caller holds the project's lock. */
export async function openFile(
  tx: postgres.TransactionSql,
  { projectId, transcriptId, bytes, chunks }: NewFile,
): Promise<void> {
  const made = await tx`
    insert into transcript_files (transcript_id, bytes, parts)
    values (${transcriptId}, ${bytes}, ${chunks.length}) on conflict do nothing returning 1`;
  if (made.length === 0) return;
  await tx`
    insert into transcript_parts (transcript_id, index, project_id, sha256)
    select ${transcriptId}::int, c.place::int - 1, ${projectId}::int, decode(c.sha256, 'hex')
    from unnest(${[...chunks]}::text[]) with ordinality as c (sha256, place)`;
}

/** Hashes of the missing chunks, each once, in order. */
export async function findMissing(sql: postgres.ISql, transcriptId: number): Promise<string[]> {
  const rows = await sql<{ sha256: string }[]>`
    select encode(p.sha256, 'hex') as sha256 from transcript_parts p
    where p.transcript_id = ${transcriptId} and not exists (
      select from transcript_chunks c where c.project_id = p.project_id and c.sha256 = p.sha256
    )
    group by p.sha256 order by min(p.index)`;
  return rows.map((row) => row.sha256);
}

export async function listParts(sql: postgres.ISql, transcriptId: number): Promise<string[]> {
  const rows = await sql<{ sha256: string }[]>`
    select encode(sha256, 'hex') as sha256 from transcript_parts where transcript_id = ${transcriptId} order by index`;
  return rows.map((row) => row.sha256);
}

/**
 * Store a chunk unless it exists. The caller has checked its hash.
 * @returns false: the file is unknown or deleted, or has no such chunk
 * @throws ArchiveStoreError, also when reading
 */
export async function putChunk(
  sql: postgres.Sql,
  transcriptId: number,
  sha256: string,
  bytes: Buffer,
): Promise<boolean> {
  const { encoding, data } = await packChunk(bytes);
  const address = await storeObject(sql, transcriptId, sha256, data);
  return transact(sql, async (tx) => {
    // The shared lock prevents the deletion of the file, but allows writing its other chunks.
    const [file] = await tx<{ projectId: number }[]>`
      select p.project_id as "projectId" from transcript_files f
      join transcript_parts p on p.transcript_id = f.transcript_id and p.sha256 = decode(${sha256}, 'hex')
      where f.transcript_id = ${transcriptId} limit 1 for key share of f`;
    if (!file) return false;
    const added = await tx`
      insert into transcript_chunks (project_id, sha256, bytes, stored_bytes, encoding, data, address)
      values (${file.projectId}, decode(${sha256}, 'hex'), ${bytes.length}, ${data.length}, ${encoding},
        ${address === null ? data : null}, ${address})
      on conflict do nothing returning 1`;
    if (address !== null && added.length > 0) await keepObject(tx, address);
    return true;
  });
}

/**
 * The original bytes `[from, to)`, chunk by chunk, each verified by its hash.
 * @throws TranscriptGoneError when the file does not exist, or was deleted meanwhile
 * @throws ChunkDamagedError when a chunk is missing or corrupt, also on a second read; it is removed, and its
 * archives are marked `damaged`
 */
export async function* readFile(
  sql: postgres.Sql,
  transcriptId: number,
  from = 0,
  to = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<Buffer> {
  const [file] = await sql<{ bytes: number; parts: number }[]>`
    select bytes, parts from transcript_files where transcript_id = ${transcriptId}`;
  if (!file) throw new TranscriptGoneError();
  const end = Math.min(to, file.bytes);
  const last = Math.min(file.parts, Math.ceil(end / CHUNK_BYTES));
  let index = Math.floor(from / CHUNK_BYTES);
  if (from >= end || index >= last) return;
  let next = readPart(sql, transcriptId, index);
  for (; index < last; index += 1) {
    const bytes = await next;
    if (index + 1 < last) {
      next = readPart(sql, transcriptId, index + 1);
      next.catch(() => undefined);
    }
    const start = index * CHUNK_BYTES;
    yield bytes.subarray(Math.max(0, from - start), Math.min(bytes.length, end - start));
  }
}

export async function readRange(...range: Parameters<typeof readFile>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of readFile(...range)) parts.push(part);
  return Buffer.concat(parts);
}

/** A chunk that looks damaged is read again under the project's lock before it is reported. */
async function readPart(sql: postgres.Sql, transcriptId: number, index: number): Promise<Buffer> {
  const part = await loadPart(sql, transcriptId, index);
  const chunk = await openChunk(part);
  if (chunk) return chunk;
  await transact(sql, async (tx) => {
    await lockProject(tx, part.projectId);
    await removeDamagedChunk(tx, part.projectId, part.sha256);
  });
  const again = await openChunk(await loadPart(sql, transcriptId, index));
  if (again) return again;
  throw new ChunkDamagedError(part.sha256);
}

async function loadPart(sql: postgres.Sql, transcriptId: number, index: number) {
  const [part] = await sql<(StoredChunk & { projectId: number; address: string | null })[]>`
    select p.project_id as "projectId", encode(p.sha256, 'hex') as sha256, c.encoding, c.data, c.address
    from transcript_parts p
    left join transcript_chunks c on c.project_id = p.project_id and c.sha256 = p.sha256
    where p.transcript_id = ${transcriptId} and p.index = ${index}`;
  if (!part) throw new TranscriptGoneError();
  return loadObject(part);
}

/**
 * Remove files, everything derived from them, and every chunk that no other file of their project has. The caller
 * holds the project's lock.
 */
export async function removeFiles(tx: postgres.TransactionSql, ids: number[]): Promise<void> {
  const parts = await tx<{ projectId: number; sha256: string }[]>`
    select distinct project_id as "projectId", encode(sha256, 'hex') as sha256
    from transcript_parts where transcript_id = any(${ids}::int[])`;
  await tx`delete from transcript_files where transcript_id = any(${ids}::int[])`;
  const hashes = tx`
    select h.project_id, decode(h.sha256, 'hex')
    from unnest(${parts.map((part) => part.projectId)}::int[], ${parts.map((part) => part.sha256)}::text[])
      as h (project_id, sha256)`;
  await deleteChunks(
    tx,
    tx`(c.project_id, c.sha256) in (${hashes}) and not exists (
      select from transcript_parts p where p.project_id = c.project_id and p.sha256 = c.sha256
    )`,
  );
}
