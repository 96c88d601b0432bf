import type postgres from 'postgres';
import type { TouchedSession } from '../ingest/types';
import { transact } from '../transact';
import { recordStoreEvent } from './record-store-event';
import { lockSession, touchSession } from './touch-session';
import { lockProject, type TranscriptStore } from './transcript-store';

/**
 * Fail an upload: its chunks are removed and the row has the reason. It may be offered again.
 * @param addsEvent add an event to the session, because no runner reports it
 * @returns null when there is no such upload, or its session is unknown
 */
export async function failUpload(
  sql: postgres.Sql,
  store: TranscriptStore,
  transcriptId: number,
  reason: string,
  { addsEvent = false }: { addsEvent?: boolean } = {},
): Promise<TouchedSession | null> {
  const [row] = await sql<{ projectId: number; session: string }[]>`
    select project_id as "projectId", session from transcripts where id = ${transcriptId}`;
  if (!row) return null;
  return transact(sql, async (tx) => {
    await lockProject(tx, row.projectId);
    const session = await lockSession(tx, row.session);
    const failed = await tx`
      update transcripts set state = 'failed', reason = ${reason}, changed_at = clock_timestamp()
      where id = ${transcriptId} and state = 'uploading' returning 1`;
    if (failed.length === 0) return null;
    await store.remove(tx, transcriptId);
    if (addsEvent)
      await recordStoreEvent(tx, session, { kind: 'archive_failed', transcriptId, detail: { reason } });
    return touchSession(tx, session);
  });
}

/** Note the last error of an upload. Best effort: the database itself may be the problem. */
export async function noteTrouble(sql: postgres.Sql, archive: string, reason: string): Promise<void> {
  await sql`
    update transcripts set reason = ${reason}
    where archive = ${archive} and state = 'uploading' and reason is distinct from ${reason}`;
}
