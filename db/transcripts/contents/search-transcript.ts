import type postgres from 'postgres';
import type { TranscriptSearch } from '../../../core/api/transcript-contents';
import { wordsOfPhrase } from '../../../core/transcript/find-phrase';
import { termsOfPhrase } from '../../../core/transcript/index-terms';
import type { ContentsRow } from './find-contents';
import { withTermsIndex } from './find-segments';
import { searchSegment, toQuery } from './search-segments';

/** How long places are counted that are not given any more. */
const COUNTING_MS = 200;
const SEGMENTS_AT_ONCE = 32;

/** Where in one transcript the words of a phrase follow one another, in the file's order. */
export async function searchTranscript(
  sql: postgres.Sql,
  row: ContentsRow,
  { q, limit }: { q: string; limit: number },
): Promise<TranscriptSearch> {
  const answer: TranscriptSearch = { id: row.publicId, state: row.state, hits: [], total: 0, isMore: false };
  const phrase = wordsOfPhrase(q);
  const query = toQuery(termsOfPhrase(q));
  if (row.state !== 'read' || query === null) return answer;
  const segments = await withTermsIndex(
    sql,
    (tx) => tx<{ place: number; segmentId: number; firstEntry: number; firstLine: number }[]>`
      with found as materialized (select id from transcript_segments where terms @@ ${query}::tsquery)
      select u.place, u.segment_id as "segmentId", u.first_entry as "firstEntry", u.first_line as "firstLine"
      from transcript_segment_uses u join found on found.id = u.segment_id
      where u.transcript_id = ${row.transcriptId}
      order by u.place`,
  );
  const startedAt = performance.now();
  for (let i = 0; i < segments.length; i += SEGMENTS_AT_ONCE) {
    const batch = segments.slice(i, i + SEGMENTS_AT_ONCE);
    const bodies = await loadBodies(
      sql,
      batch.map(({ segmentId }) => segmentId),
    );
    for (const { segmentId, firstEntry, firstLine } of batch) {
      const body = bodies.get(segmentId);
      for (const { count: _, ...hit } of body ? searchSegment(body, phrase) : []) {
        answer.total += 1;
        if (answer.hits.length < limit) {
          answer.hits.push({ ...hit, entry: firstEntry + hit.entry, line: firstLine + hit.line });
        }
      }
    }
    if (answer.hits.length >= limit && performance.now() - startedAt > COUNTING_MS) {
      return { ...answer, isMore: i + SEGMENTS_AT_ONCE < segments.length };
    }
  }
  return answer;
}

export async function loadBodies(sql: postgres.Sql, ids: readonly number[]): Promise<Map<number, Buffer>> {
  const rows = await sql<{ id: number; body: Buffer }[]>`
    select id, body from transcript_segments where id = any(${[...ids]}::bigint[])`;
  return new Map(rows.map(({ id, body }) => [id, body]));
}
