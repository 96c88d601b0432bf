import type postgres from 'postgres';
import type { TranscriptRow } from '../../../core/api/transcripts';
import {
  type StoredTranscript,
  toTranscriptRow,
  transcriptColumns,
  transcriptTables,
  UUID,
} from './transcript-row';

export interface LoadedTranscript {
  /** `transcripts.id`, by which a store knows it. */
  key: number;
  transcript: TranscriptRow;
}

/**
 * Null: no transcript has this id. A deleted one is a tombstone.
 * @param id its own, or the runner's id of the archive
 */
export async function loadTranscript(sql: postgres.ISql, id: string): Promise<LoadedTranscript | null> {
  if (!UUID.test(id)) return null;
  const [row] = await sql<StoredTranscript[]>`
    select ${transcriptColumns(sql)} from ${transcriptTables(sql)}
    where t.public_id = ${id} or t.archive = ${id}
    order by t.public_id = ${id} desc limit 1`;
  return row ? { key: row.id, transcript: toTranscriptRow(row) } : null;
}
