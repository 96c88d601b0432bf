/** The end of a transcript: it is deleted and becomes a tombstone, or its upload fails. */
import type postgres from 'postgres';
import type { AuditAction } from '../../core/api/audit';
import { inProjects } from '../queries/limit-reads';
import { changeTranscript } from './change-transcript';
import { removeFiles } from './chunk-store';
import { recordAudit } from './record-audit';
import { recordStoreEvent } from './record-store-event';

interface Deletion {
  reason: string;
  actor: string;
  action: Extract<AuditAction, 'transcript_deleted' | 'transcript_expired'>;
}

/** @returns false: there is no such transcript, or it was deleted before */
export function deleteTranscript(sql: postgres.Sql, publicId: string, deletion: Deletion): Promise<boolean> {
  return changeTranscript(sql, publicId, async (tx, transcript) => {
    if (transcript.state === 'deleted') return false;
    await removeFiles(tx, [transcript.id]);
    await bury(tx, transcript, deletion);
    return true;
  });
}

/** The caller holds the locks of the project and the session. */
export async function deleteTranscriptsOf(tx: postgres.TransactionSql, sessionId: number): Promise<void> {
  const rows = await tx<{ id: number; state: string }[]>`
    select t.id, t.state from transcripts t
    join sessions s on s.public_id = t.session and coalesce(s.adopted_by, s.id) = ${sessionId}
    order by t.id for update of t`;
  const ids = rows.map(({ id }) => id);
  await removeFiles(tx, ids);
  const reason = 'its session was deleted';
  const deletion = { reason, actor: 'session', action: 'transcript_deleted' } as const;
  for (const row of rows) if (row.state !== 'deleted') await bury(tx, row, deletion);
  await tx`
    update transcripts set reason = ${reason}, file_name = null, path = null, host = null
    where id = any(${ids}::int[])`;
}

async function bury(
  tx: postgres.TransactionSql,
  { id, state }: { id: number; state: string },
  { reason, actor, action }: Deletion,
): Promise<void> {
  await tx`
    update transcripts set state = 'deleted', reason = ${reason}, deleted_at = clock_timestamp(),
      messages = null, secrets = null
    where id = ${id}`;
  await recordAudit(tx, { actor, action, transcriptId: id, detail: { reason, was: state } });
}

/**
 * Fail an upload and remove its chunks. The archive may be offered again.
 * @param addsEvent adds an event to the session, if no runner reports the failure
 */
export async function failUpload(
  sql: postgres.Sql,
  transcriptId: number,
  reason: string,
  addsEvent = false,
): Promise<void> {
  await changeTranscript(sql, transcriptId, async (tx, { state, session }) => {
    if (state !== 'uploading') return false;
    await tx`
      update transcripts set state = 'failed', reason = ${reason}, changed_at = clock_timestamp()
      where id = ${transcriptId}`;
    await removeFiles(tx, [transcriptId]);
    const event = { kind: 'archive_failed', transcriptId, detail: { reason } } as const;
    if (addsEvent) await recordStoreEvent(tx, session, event);
    return true;
  });
}

/** Note the last error of an upload. Best effort: the database itself may be the problem. */
export async function noteTrouble(sql: postgres.Sql, archive: string, reason: string): Promise<void> {
  await sql`
    update transcripts set reason = ${reason}
    where archive = ${archive} and ${inProjects(sql, 'project_id')} and state = 'uploading' and reason is distinct from ${reason}`;
}
