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

/** Null: there never was one of this id, or it is no id. A deleted one is a tombstone. */
export async function loadTranscript(sql: postgres.ISql, id: string): Promise<LoadedTranscript | null> {
  if (!UUID.test(id)) return null;
  const [row] = await sql<StoredTranscript[]>`
    select ${transcriptColumns(sql)} from ${transcriptTables(sql)} where t.public_id = ${id}`;
  return row ? { key: row.id, transcript: toTranscriptRow(row) } : null;
}
