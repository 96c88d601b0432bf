/** Chunks of an upload: what is expected, and storing them. */
import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import { CHUNK_BYTES } from '../../core/api/transcripts';
import { projectTranscripts } from '../queries/project-settings';
import { failUpload } from './fail-upload';
import { createStoredMeter, type IntakeRefusal, judgeFull, type StoredMeter } from './intake-limits';
import type { TranscriptStore } from './transcript-store';

export type ExpectedChunk =
  | { type: 'expected'; transcriptId: number; bytes: number }
  /** Stored already. */
  | { type: 'kept' }
  | { type: 'refused'; refusal: IntakeRefusal };

/** @param archive a uuid; @param sha256 64 hexadecimal digits */
export async function findExpectedChunk(
  sql: postgres.Sql,
  archive: string,
  sha256: string,
): Promise<ExpectedChunk> {
  const [row] = await sql<
    {
      id: number;
      state: string;
      bytes: number | null;
      parts: number | null;
      index: number | null;
      here: boolean;
    }[]
  >`
    select t.id, t.state, f.bytes, f.parts, p.index, c.sha256 is not null as here
    from transcripts t
    left join transcript_files f on f.transcript_id = t.id
    left join transcript_parts p on p.transcript_id = t.id and p.sha256 = decode(${sha256}, 'hex')
    left join transcript_chunks c on c.project_id = p.project_id and c.sha256 = p.sha256
    where t.archive = ${archive} order by p.index limit 1`;
  if (row?.state === 'deleted') return refuse(410, 'deleted', 'archive', 'this transcript was deleted');
  if (!row || row.bytes === null || row.parts === null) {
    return refuse(404, 'unknown_archive', 'archive', 'no upload has this id: offer the archive first');
  }
  if (row.index === null)
    return refuse(404, 'unknown_chunk', 'sha256', 'this archive has no chunk of this hash');
  if (row.here) return { type: 'kept' };
  const isLast = row.index === row.parts - 1;
  const bytes = isLast ? row.bytes - row.index * CHUNK_BYTES : CHUNK_BYTES;
  return { type: 'expected', transcriptId: row.id, bytes };
}

/** Store a chunk after checking its length and hash. @returns null, or why it was refused */
export async function receiveChunk(
  sql: postgres.Sql,
  store: TranscriptStore,
  {
    transcriptId,
    expected,
    sha256,
    bytes,
  }: {
    transcriptId: number;
    expected: number;
    sha256: string;
    bytes: Buffer;
  },
  meter: StoredMeter = createStoredMeter(store),
): Promise<IntakeRefusal | null> {
  if (bytes.length !== expected) {
    const reason = `the chunk has ${bytes.length} bytes; ${expected} were offered`;
    return { status: 422, code: 'wrong_length', field: 'body', reason };
  }
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) {
    return {
      status: 422,
      code: 'wrong_hash',
      field: 'body',
      reason: 'the SHA-256 of the bytes differs from the path',
    };
  }
  const [project] = await sql<{ id: number; settings: unknown }[]>`
    select p.id, p.settings from transcripts t join projects p on p.id = t.project_id where t.id = ${transcriptId}`;
  if (project) {
    const { limits } = projectTranscripts(project.settings);
    const full = judgeFull(await meter.measure(project.id, limits.maxStoredBytes), limits);
    if (full) {
      await failUpload(sql, store, transcriptId, full.reason);
      return full;
    }
    meter.add(project.id, bytes.length);
  }
  if (!(await store.put(transcriptId, sha256, bytes))) {
    return {
      status: 410,
      code: 'deleted',
      field: 'archive',
      reason: 'this transcript was deleted meanwhile',
    };
  }
  await sql`
    update transcripts set changed_at = clock_timestamp(), reason = null
    where id = ${transcriptId} and (changed_at < clock_timestamp() - interval '10 seconds' or reason is not null)
      and state = 'uploading'`;
  return null;
}

function refuse(status: IntakeRefusal['status'], code: string, field: string, reason: string): ExpectedChunk {
  return { type: 'refused', refusal: { status, code, field, reason } };
}
