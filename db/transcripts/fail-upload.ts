import type postgres from 'postgres';
import { transact } from '../transact';
import { lockProject, removeFiles } from './chunk-store';
import { recordStoreEvent } from './record-store-event';
import { lockSession, touchSession } from './touch-session';

/**
 * Fail an upload: its chunks are removed and the row has the reason. It may be offered again.
 * @param addsEvent add an event to the session, because no runner reports it
 */
export async function failUpload(
  sql: postgres.Sql,
  transcriptId: number,
  reason: string,
  addsEvent = false,
): Promise<void> {
  await transact(sql, async (tx) => {
    const [row] = await tx<{ projectId: number; session: string }[]>`
      select project_id as "projectId", session from transcripts where id = ${transcriptId}`;
    if (!row) return;
    await lockProject(tx, row.projectId);
    const session = await lockSession(tx, row.session);
    const failed = await tx`
      update transcripts set state = 'failed', reason = ${reason}, changed_at = clock_timestamp()
      where id = ${transcriptId} and state = 'uploading' returning 1`;
    if (failed.length === 0) return;
    await removeFiles(tx, [transcriptId]);
    const event = { kind: 'archive_failed', transcriptId, detail: { reason } } as const;
    if (addsEvent) await recordStoreEvent(tx, session, event);
    await touchSession(tx, session);
  });
}

/** Note the last error of an upload. Best effort: the database itself may be the problem. */
export async function noteTrouble(sql: postgres.Sql, archive: string, reason: string): Promise<void> {
  await sql`
    update transcripts set reason = ${reason}
    where archive = ${archive} and state = 'uploading' and reason is distinct from ${reason}`;
}
