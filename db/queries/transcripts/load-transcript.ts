import type postgres from 'postgres';
import type { TranscriptRow } from '../../../core/api/transcripts';
import { type HeldUpReads, NOTHING_HELD_UP } from '../../transcripts/held-up-reads';
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
 * Null: there never was one of this id, or it is no id. A deleted one is a tombstone.
 * @param id its own; that of its archive leads to it too, as the list names one that has no row yet
 */
export async function loadTranscript(
  sql: postgres.ISql,
  id: string,
  heldUp: HeldUpReads = NOTHING_HELD_UP,
): Promise<LoadedTranscript | null> {
  if (!UUID.test(id)) return null;
  const [row] = await sql<StoredTranscript[]>`
    select ${transcriptColumns(sql)} from ${transcriptTables(sql, heldUp)}
    where t.public_id = ${id} or t.archive = ${id}
    order by t.public_id = ${id} desc limit 1`;
  return row ? { key: row.id, transcript: toTranscriptRow(row, heldUp) } : null;
}
