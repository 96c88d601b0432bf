/** Deletion: the content goes in one transaction; a tombstone with time, reason and facts remains. */
import type postgres from 'postgres';
import type { AuditAction } from '../../core/api/audit';
import type { TouchedSession } from '../ingest/types';
import { transact } from '../transact';
import { removeFiles } from './postgres-store';
import { recordAudit } from './record-audit';
import { lockSession, touchSession } from './touch-session';
import { lockProject } from './transcript-store';

export interface Deletion {
  reason: string;
  actor: string;
  action: Extract<AuditAction, 'transcript_deleted' | 'transcript_expired'>;
}

export type DeletedTranscript =
  | { type: 'deleted'; touched: TouchedSession | null }
  /** Deleted earlier; that reason is kept. */
  | { type: 'deleted_before' }
  | { type: 'unknown' };

/** @param publicId a uuid */
export async function deleteTranscript(
  sql: postgres.Sql,
  publicId: string,
  deletion: Deletion,
): Promise<DeletedTranscript> {
  const [row] = await sql<{ id: number; projectId: number; session: string }[]>`
    select id, project_id as "projectId", session from transcripts where public_id = ${publicId}`;
  if (!row) return { type: 'unknown' };
  return transact(sql, async (tx) => {
    await lockProject(tx, row.projectId);
    const session = await lockSession(tx, row.session);
    const [locked] = await tx<{ state: string }[]>`
      select state from transcripts where id = ${row.id} for update`;
    if (locked?.state === 'deleted') return { type: 'deleted_before' };
    await removeFiles(tx, [row.id]);
    await tx`
      update transcripts set state = 'deleted', reason = ${deletion.reason}, deleted_at = clock_timestamp(),
        messages = null, secrets = null
      where id = ${row.id}`;
    const { actor, action, reason } = deletion;
    await recordAudit(tx, { actor, action, transcriptId: row.id, detail: { reason, was: locked?.state } });
    return { type: 'deleted', touched: await touchSession(tx, session) };
  });
}

/** Delete all transcripts of a session. The caller holds the locks of the project and the session. */
export async function deleteTranscriptsOf(tx: postgres.TransactionSql, sessionId: number): Promise<void> {
  const rows = await tx<{ id: number; state: string }[]>`
    select t.id, t.state from transcripts t
    join sessions s on s.public_id = t.session and coalesce(s.adopted_by, s.id) = ${sessionId}
    order by t.id for update of t`;
  const reason = 'its session was deleted';
  await removeFiles(
    tx,
    rows.map(({ id }) => id),
  );
  for (const { id, state } of rows) {
    await tx`
      update transcripts set state = 'deleted', reason = ${reason}, deleted_at = coalesce(deleted_at, clock_timestamp()),
        messages = null, secrets = null, file_name = null, path = null, host = null
      where id = ${id}`;
    if (state === 'deleted') continue;
    const action = 'transcript_deleted';
    await recordAudit(tx, { actor: 'session', action, transcriptId: id, detail: { reason, was: state } });
  }
}
