import type postgres from 'postgres';
import type { TouchedSession } from '../ingest/types';
import { transact } from '../transact';
import { recordStoreEvent } from './record-store-event';
import { lockSession, touchSession } from './touch-session';
import { lockProject, type TranscriptStore } from './transcript-store';

/**
 * An upload that cannot come to an end: what came of it goes, and the row says why. It may be offered again.
 * @param isTold no runner tells of it: the session gets an event
 * @returns null where there is no such upload (any more), or its session is not known
 */
export async function failUpload(
  sql: postgres.Sql,
  store: TranscriptStore,
  transcriptId: number,
  reason: string,
  { isTold = false }: { isTold?: boolean } = {},
): Promise<TouchedSession | null> {
  const [row] = await sql<{ projectId: number; session: string }[]>`
    select project_id as "projectId", session from transcripts where id = ${transcriptId}`;
  if (!row) return null;
  await store.prepareRemove(transcriptId);
  return transact(sql, async (tx) => {
    await lockProject(tx, row.projectId);
    const session = await lockSession(tx, row.session);
    const failed = await tx`
      update transcripts set state = 'failed', reason = ${reason}, changed_at = clock_timestamp()
      where id = ${transcriptId} and state = 'uploading' returning 1`;
    if (failed.length === 0) return null;
    await store.remove(tx, transcriptId);
    if (isTold)
      await recordStoreEvent(tx, session, { kind: 'archive_failed', transcriptId, detail: { reason } });
    return touchSession(tx, session);
  });
}

/** What holds an upload up, for the operator; it goes on by itself. Best effort: the database may be what is away. */
export async function noteTrouble(sql: postgres.Sql, archive: string, reason: string): Promise<void> {
  await sql`
    update transcripts set reason = ${reason}
    where archive = ${archive} and state = 'uploading' and reason is distinct from ${reason}`;
}
