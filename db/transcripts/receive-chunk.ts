import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import { CHUNK_BYTES } from '../../core/api/transcripts';
import { inProjects } from '../queries/limit-reads';
import { projectTranscripts } from '../queries/project-settings';
import { putChunk } from './chunk-store';
import { failUpload } from './end-transcript';
import { deletedBefore, findFull, IntakeRefusal, unknownArchive } from './intake-limits';

export interface ExpectedChunk {
  transcriptId: number;
  projectId: number;
  settings: unknown;
  index: number;
  sha256: string;
  bytes: number;
}

/** Check the project's limit once per this many chunks, because a sum for every chunk would take quadratic time. */
const CHUNKS_PER_SUM = 16;

/** @returns null: stored already. @throws IntakeRefusal */
export async function findExpectedChunk(
  sql: postgres.Sql,
  archive: string,
  sha256: string,
): Promise<ExpectedChunk | null> {
  type Row = ExpectedChunk & { state: string; parts: number | null; here: boolean };
  const [row] = await sql<Row[]>`
    select t.id as "transcriptId", t.project_id as "projectId", o.settings, t.state, f.bytes, f.parts, p.index,
      c.sha256 is not null as here, ${sha256} as sha256
    from transcripts t
    join projects o on o.id = t.project_id
    left join transcript_files f on f.transcript_id = t.id
    left join transcript_parts p on p.transcript_id = t.id and p.sha256 = decode(${sha256}, 'hex')
    left join transcript_chunks c on c.project_id = p.project_id and c.sha256 = p.sha256
    where t.archive = ${archive} and ${inProjects(sql, 't.project_id')}
    order by t.state <> 'uploading', t.id, p.index limit 1`;
  if (row?.state === 'deleted') throw deletedBefore(null);
  if (!row || row.parts === null) throw unknownArchive();
  if (row.index === null) {
    throw new IntakeRefusal(404, 'unknown_chunk', 'sha256', 'this archive has no chunk of this hash');
  }
  if (row.here) return null;
  const isLast = row.index === row.parts - 1;
  return { ...row, bytes: isLast ? row.bytes - row.index * CHUNK_BYTES : CHUNK_BYTES };
}

/** Store a chunk after checking its length and hash. @throws IntakeRefusal */
export async function receiveChunk(
  sql: postgres.Sql,
  { transcriptId, projectId, settings, index, sha256, bytes: expected }: ExpectedChunk,
  bytes: Buffer,
): Promise<void> {
  if (bytes.length !== expected) {
    const reason = `the chunk has ${bytes.length} bytes; ${expected} were offered`;
    throw new IntakeRefusal(422, 'wrong_length', 'body', reason);
  }
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) {
    throw new IntakeRefusal(422, 'wrong_hash', 'body', 'the SHA-256 of the bytes differs from the path');
  }
  if (index % CHUNKS_PER_SUM === 0) {
    const full = await findFull(sql, projectId, projectTranscripts(settings).limits);
    if (full) {
      await failUpload(sql, transcriptId, full.message);
      throw full;
    }
  }
  if (!(await putChunk(sql, transcriptId, sha256, bytes))) {
    throw new IntakeRefusal(410, 'deleted', 'archive', 'this transcript was deleted meanwhile');
  }
  await sql`
    update transcripts set changed_at = clock_timestamp(), reason = null
    where id = ${transcriptId} and (changed_at < clock_timestamp() - interval '10 seconds' or reason is not null)
      and state = 'uploading'`;
}
