/**
 * Transcripts in PostgreSQL, where everything else is: one thing to back up, one transaction. Chunks are addressed by
 * their content within a project, compressed, and never rewritten.
 */
import type postgres from 'postgres';
import { CHUNK_BYTES } from '../../core/api/transcripts';
import { transact } from '../transact';
import { openChunk, removeDamagedChunk, type StoredChunk } from './mark-damaged';
import { packChunk } from './pack-chunk';
import {
  ChunkDamagedError,
  lockProject,
  TranscriptGoneError,
  type TranscriptStore,
} from './transcript-store';

/** Rows of one insert: a gigabyte is a thousand chunks. */
const PARTS_PER_STATEMENT = 5_000;

export function createPostgresStore(sql: postgres.Sql): TranscriptStore {
  return {
    async open(tx, { projectId, transcriptId, bytes, chunks }) {
      const made = await tx`
        insert into transcript_files (transcript_id, bytes, parts)
        values (${transcriptId}, ${bytes}, ${chunks.length}) on conflict do nothing returning 1`;
      if (made.length === 0) return;
      for (let first = 0; first < chunks.length; first += PARTS_PER_STATEMENT) {
        const part = chunks.slice(first, first + PARTS_PER_STATEMENT);
        await tx`
          insert into transcript_parts (transcript_id, index, project_id, sha256)
          select ${transcriptId}::int, ${first}::int + c.place::int - 1, ${projectId}::int, decode(c.sha256, 'hex')
          from unnest(${part}::text[]) with ordinality as c (sha256, place)`;
      }
    },

    async findMissing(transcriptId, tx = sql) {
      const rows = await tx<{ sha256: string }[]>`
        select encode(p.sha256, 'hex') as sha256 from transcript_parts p
        where p.transcript_id = ${transcriptId} and not exists (
          select from transcript_chunks c where c.project_id = p.project_id and c.sha256 = p.sha256
        )
        group by p.sha256 order by min(p.index)`;
      return rows.map((row) => row.sha256);
    },

    async put(transcriptId, sha256, bytes) {
      const { encoding, data } = await packChunk(bytes);
      return transact(sql, async (tx) => {
        // A shared lock: the file cannot be deleted meanwhile, and its other chunks can be written.
        const [file] = await tx<{ projectId: number }[]>`
          select p.project_id as "projectId" from transcript_files f
          join transcript_parts p on p.transcript_id = f.transcript_id and p.sha256 = decode(${sha256}, 'hex')
          where f.transcript_id = ${transcriptId} limit 1 for key share of f`;
        if (!file) return false;
        await tx`
          insert into transcript_chunks (project_id, sha256, bytes, stored_bytes, encoding, data)
          values (${file.projectId}, decode(${sha256}, 'hex'), ${bytes.length}, ${data.length}, ${encoding}, ${data})
          on conflict do nothing`;
        return true;
      });
    },

    read: (transcriptId, from = 0, to = Number.MAX_SAFE_INTEGER) => readFile(sql, transcriptId, from, to),

    async stamp(transcriptId, tx = sql) {
      const [stamp] = await tx<{ parts: string; chunks: string }[]>`
        select md5(coalesce(string_agg(encode(p.sha256, 'hex'), ',' order by p.index), '')) as parts,
          md5(coalesce(string_agg(c.xmin::text, ',' order by p.index), '')) as chunks
        from transcript_files f
        left join transcript_parts p on p.transcript_id = f.transcript_id
        left join transcript_chunks c on c.project_id = p.project_id and c.sha256 = p.sha256
        where f.transcript_id = ${transcriptId} group by f.transcript_id`;
      return stamp ?? null;
    },

    remove: (tx, transcriptId) => removeFiles(tx, [transcriptId]),

    async measure(projectId, tx = sql) {
      const [row] = await tx<{ bytes: number }[]>`
        select coalesce(sum(stored_bytes), 0)::bigint as bytes from transcript_chunks where project_id = ${projectId}`;
      return row?.bytes ?? 0;
    },
  };
}

async function* readFile(
  sql: postgres.Sql,
  transcriptId: number,
  from: number,
  to: number,
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
      // Prefetch the next part while this one is used.
      next = readPart(sql, transcriptId, index + 1);
      next.catch(() => undefined);
    }
    const start = index * CHUNK_BYTES;
    yield bytes.subarray(Math.max(0, from - start), Math.min(bytes.length, end - start));
  }
}

interface PartRow extends StoredChunk {
  projectId: number;
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

async function loadPart(sql: postgres.Sql, transcriptId: number, index: number): Promise<PartRow> {
  const [part] = await sql<PartRow[]>`
    select p.project_id as "projectId", encode(p.sha256, 'hex') as sha256, c.encoding, c.data
    from transcript_parts p
    left join transcript_chunks c on c.project_id = p.project_id and c.sha256 = p.sha256
    where p.transcript_id = ${transcriptId} and p.index = ${index}`;
  if (!part) throw new TranscriptGoneError();
  return part;
}

/**
 * Remove files, everything made from them, and every chunk no other file of their project has. The caller holds the
 * project's lock.
 */
export async function removeFiles(
  tx: postgres.TransactionSql,
  transcriptIds: readonly number[],
): Promise<void> {
  const ids = [...transcriptIds];
  const parts = await tx<{ projectId: number; sha256: Buffer }[]>`
    select distinct project_id as "projectId", sha256 from transcript_parts where transcript_id = any(${ids}::int[])`;
  await tx`delete from transcript_files where transcript_id = any(${ids}::int[])`;
  for (const projectId of new Set(parts.map((part) => part.projectId))) {
    const hashes = parts
      .filter((part) => part.projectId === projectId)
      .map(({ sha256 }) => sha256.toString('hex'));
    await tx`
      delete from transcript_chunks c using unnest(${hashes}::text[]) as h (sha256)
      where c.project_id = ${projectId} and c.sha256 = decode(h.sha256, 'hex') and not exists (
        select from transcript_parts p where p.project_id = c.project_id and p.sha256 = c.sha256
      )`;
  }
}
