/**
 * Search for a phrase, in one transcript or in all. The index finds segments that contain the words. The texts of these
 * segments show whether the words are adjacent. Each answer has a time budget; a cursor continues the search.
 */
import type postgres from 'postgres';
import type { TranscriptSearch } from '../../../core/api/transcript-contents';
import type { SearchHit } from '../../../core/api/transcripts';
import { wordsOf } from '../../../core/transcript/words';
import { transcriptTables } from '../../queries/transcripts/transcript-row';
import { READ_ONLY, transact } from '../../transact';
import { type ContentsWork, inProcessWork, type SegmentHit } from './contents-work';
import type { ContentsRow } from './load-contents';

/** Time budget of one answer, for one transcript and for all. */
const BUDGET_MS = 400;
const ALL_BUDGET_MS = 100;
const MAX_SEGMENTS = 20_000;
const SEGMENTS_AT_ONCE = 16;
const HITS_SHOWN = 3;

/** Matches in one transcript, in file order. */
export async function searchTranscript(
  sql: postgres.Sql,
  row: ContentsRow,
  asked: { q: string; limit: number; from?: number; budgetMs?: number },
  work: ContentsWork = inProcessWork,
): Promise<TranscriptSearch> {
  const { q, limit, from = 0, budgetMs = BUDGET_MS } = asked;
  const hits: TranscriptSearch['hits'] = [];
  const query = toQuery(q);
  const segments =
    row.state !== 'read' || query === null
      ? []
      : await withTermsIndex(
          sql,
          (tx) => tx<{ place: number; id: number; firstEntry: number; firstLine: number }[]>`
            with found as materialized (select id from transcript_segments where terms @@ ${query}::tsquery)
            select u.place, u.segment_id as id, u.first_entry as "firstEntry", u.first_line as "firstLine"
            from transcript_segment_uses u join found on found.id = u.segment_id
            where u.transcript_id = ${row.transcriptId} and u.place >= ${from}
            order by u.place`,
        );
  const deadline = performance.now() + budgetMs;
  let looked = 0;
  // Searches at least one batch, however long the index took. Segments are not split between answers.
  while (looked < segments.length && hits.length < limit && (looked === 0 || performance.now() < deadline)) {
    const batch = segments.slice(looked, looked + SEGMENTS_AT_ONCE);
    const found = await lookInto(sql, batch, wordsOf(q), work);
    for (const { id, firstEntry, firstLine } of batch) {
      for (const hit of found.get(id) ?? []) {
        hits.push({ ...hit, entry: firstEntry + hit.entry, line: firstLine + hit.line });
      }
      looked += 1;
      if (hits.length >= limit) break;
    }
  }
  const next = segments[looked]?.place ?? null;
  return { id: row.publicId, state: row.state, hits, total: hits.length, isMore: next !== null, next };
}

interface ArchiveHits {
  found: Map<number, { hits: SearchHit[]; hitCount: number }>;
  /** False: the time budget ran out, so there may be more archives, and counts are lower bounds. */
  isComplete: boolean;
  next: number | null;
}

interface SearchArchivesOptions {
  q: string;
  projects?: readonly string[] | undefined;
  before?: number | undefined;
  budgetMs?: number;
  work?: ContentsWork | undefined;
}

/** Matches in all archives, the newest segments first. */
export async function searchArchives(
  sql: postgres.Sql,
  { q, projects, before, budgetMs = ALL_BUDGET_MS, work = inProcessWork }: SearchArchivesOptions,
): Promise<ArchiveHits> {
  const query = toQuery(q);
  const found: ArchiveHits['found'] = new Map();
  if (query === null) return { found, isComplete: true, next: null };
  const deadline = performance.now() + budgetMs;
  // The archives of a project may be stored in the former project of their session.
  const ofProjects = projects
    ? sql`and g.project_id in (
        select t.project_id from ${transcriptTables(sql)} where p.name = any(${[...projects]}::text[])
      )`
    : sql``;
  const segments = await withTermsIndex(
    sql,
    (tx) => tx<{ id: number }[]>`
      select g.id from transcript_segments g
      where g.terms @@ ${query}::tsquery ${ofProjects} ${before === undefined ? sql`` : sql`and g.id < ${before}`}
      order by g.id desc limit ${MAX_SEGMENTS}`,
  );
  let looked = 0;
  while (looked < segments.length && (looked === 0 || performance.now() < deadline)) {
    const batch = segments.slice(looked, looked + SEGMENTS_AT_ONCE);
    await addHits(sql, found, await lookInto(sql, batch, wordsOf(q), work));
    looked += batch.length;
  }
  const isComplete = looked === segments.length && segments.length < MAX_SEGMENTS;
  return { found, isComplete, next: isComplete ? null : (segments[looked - 1]?.id ?? null) };
}

/** Add the hits of segments to every transcript that has them. */
async function addHits(
  sql: postgres.Sql,
  found: ArchiveHits['found'],
  hits: ReadonlyMap<number, SegmentHit[]>,
): Promise<void> {
  const ids = [...hits].filter(([, own]) => own.length > 0).map(([id]) => id);
  if (ids.length === 0) return;
  const uses = await sql<{ transcriptId: number; segmentId: number; firstLine: number }[]>`
    select u.transcript_id as "transcriptId", u.segment_id as "segmentId", u.first_line as "firstLine"
    from transcript_segment_uses u
    join transcript_contents c on c.transcript_id = u.transcript_id and c.state = 'read'
    where u.segment_id = any(${ids}::bigint[]) order by u.transcript_id, u.place`;
  for (const { transcriptId, segmentId, firstLine } of uses) {
    const known = found.get(transcriptId) ?? { hits: [], hitCount: 0 };
    for (const { line, excerpt, marks } of hits.get(segmentId) ?? []) {
      known.hitCount += 1;
      if (known.hits.length < HITS_SHOWN) known.hits.push({ line: firstLine + line, excerpt, marks });
    }
    found.set(transcriptId, known);
  }
}

async function lookInto(
  sql: postgres.Sql,
  segments: readonly { id: number }[],
  phrase: readonly string[],
  work: ContentsWork,
): Promise<Map<number, SegmentHit[]>> {
  const rows = await sql<{ id: number; body: Buffer }[]>`
    select id, body from transcript_segments where id = any(${segments.map(({ id }) => id)}::bigint[])`;
  const hits = await work.run('search', { phrase, bodies: rows.map(({ body }) => body) });
  return new Map(rows.map(({ id }, i) => [id, hits[i] ?? []]));
}

/** The `tsquery` of a phrase's terms; null: it has no words. */
function toQuery(q: string): string | null {
  // Terms contain only letters, digits and combining marks, so quotes are enough.
  const terms = [...new Set(wordsOf(q))];
  return terms.length === 0 ? null : terms.map((term) => `'${term}'`).join(' & ');
}

/** Force the index: the planner underestimates the cost of unpacking terms and would scan all rows. */
function withTermsIndex<T>(
  sql: postgres.Sql,
  query: (tx: postgres.TransactionSql) => Promise<T>,
): Promise<T> {
  return transact(
    sql,
    async (tx) => {
      await tx`select set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)`;
      return query(tx);
    },
    READ_ONLY,
  );
}
