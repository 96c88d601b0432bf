import type postgres from 'postgres';
import type { TranscriptSearch } from '../../../core/api/transcript-contents';
import { wordsOfPhrase } from '../../../core/transcript/find-phrase';
import { termsOfPhrase } from '../../../core/transcript/index-terms';
import { transact } from '../../transact';
import { type ContentsWork, inProcessWork } from './contents-work';
import type { ContentsRow } from './find-contents';
import { toQuery } from './search-segments';

/** Time budget of one answer. */
const BUDGET_MS = 400;
const SEGMENTS_AT_ONCE = 16;

export interface TranscriptSearchOptions {
  q: string;
  limit: number;
  /** `next` of the answer before. */
  from?: number;
  budgetMs?: number;
}

/**
 * Matches of a phrase in one transcript, in file order, until the limit or the time budget is reached.
 */
export async function searchTranscript(
  sql: postgres.Sql,
  row: ContentsRow,
  { q, limit, from = 0, budgetMs = BUDGET_MS }: TranscriptSearchOptions,
  work: ContentsWork = inProcessWork,
): Promise<TranscriptSearch> {
  const answer: TranscriptSearch = {
    id: row.publicId,
    state: row.state,
    hits: [],
    total: 0,
    isMore: false,
    next: null,
  };
  const phrase = wordsOfPhrase(q);
  const query = toQuery(termsOfPhrase(q));
  if (row.state !== 'read' || query === null) return answer;
  const segments = await withTermsIndex(
    sql,
    (tx) => tx<{ place: number; segmentId: number; firstEntry: number; firstLine: number }[]>`
      with found as materialized (select id from transcript_segments where terms @@ ${query}::tsquery)
      select u.place, u.segment_id as "segmentId", u.first_entry as "firstEntry", u.first_line as "firstLine"
      from transcript_segment_uses u join found on found.id = u.segment_id
      where u.transcript_id = ${row.transcriptId} and u.place >= ${from}
      order by u.place`,
  );
  const startedAt = performance.now();
  let i = 0;
  // At least one batch, however long the index took.
  while (i < segments.length && (i === 0 || performance.now() - startedAt < budgetMs)) {
    const batch = segments.slice(i, i + SEGMENTS_AT_ONCE);
    const ids = batch.map(({ segmentId }) => segmentId);
    const bodies = await loadBodies(sql, ids);
    const known = ids.filter((id) => bodies.has(id));
    const found = await work.run('search', {
      phrase,
      bodies: known.map((id) => bodies.get(id) ?? EMPTY),
    });
    const bySegment = new Map(known.map((id, place) => [id, found[place] ?? []]));
    for (const { segmentId, firstEntry, firstLine } of batch) {
      for (const { count: _, ...hit } of bySegment.get(segmentId) ?? []) {
        answer.hits.push({ ...hit, entry: firstEntry + hit.entry, line: firstLine + hit.line });
      }
      i += 1;
      // Segments are not split between answers.
      if (answer.hits.length >= limit) break;
    }
    if (answer.hits.length >= limit) break;
  }
  const next = segments[i]?.place ?? null;
  return { ...answer, total: answer.hits.length, isMore: next !== null, next };
}

const EMPTY = new Uint8Array();

export async function loadBodies(sql: postgres.Sql, ids: readonly number[]): Promise<Map<number, Buffer>> {
  const rows = await sql<{ id: number; body: Buffer }[]>`
    select id, body from transcript_segments where id = any(${[...ids]}::bigint[])`;
  return new Map(rows.map(({ id, body }) => [id, body]));
}

/**
 * Run a query of segments by their terms with the index forced: the planner underestimates the cost of unpacking terms
 * and would scan all rows.
 */
export function withTermsIndex<T>(
  sql: postgres.Sql,
  query: (tx: postgres.TransactionSql) => Promise<T>,
): Promise<T> {
  return transact(
    sql,
    async (tx) => {
      await tx`select set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)`;
      return query(tx);
    },
    'isolation level repeatable read read only',
  );
}
