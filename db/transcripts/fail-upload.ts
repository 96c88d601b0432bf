import type postgres from 'postgres';
import { changeTranscript } from './change-transcript';
import { removeFiles } from './chunk-store';
import { recordStoreEvent } from './record-store-event';

/**
 * Fail an upload and remove its chunks; it may be offered again.
 * @param addsEvent because no runner reports it
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
    where archive = ${archive} and state = 'uploading' and reason is distinct from ${reason}`;
}
