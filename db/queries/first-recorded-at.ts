import type postgres from 'postgres';
import { BUCKET_MS } from '../history/buckets';

/**
 * When history begins at or after a moment, milliseconds: the beginning of the quarter of an hour in which the first turn
 * or boundary came; null: nothing was recorded since.
 */
export async function firstRecordedAt(sql: postgres.ISql, sinceMs: number): Promise<number | null> {
  const [row] = await sql<{ bucket: number | null }[]>`
    select min(bucket) as bucket from history where bucket >= ${Math.ceil(sinceMs / BUCKET_MS)}`;
  return row?.bucket == null ? null : row.bucket * BUCKET_MS;
}
