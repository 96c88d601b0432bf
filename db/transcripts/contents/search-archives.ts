/**
 * Search all archives for a phrase. The index finds segments with its words (and pairs of common words), newest first;
 * their texts then decide whether the words are adjacent. A time budget limits each answer, a cursor continues it.
 */
import type postgres from 'postgres';
import type { SearchHit } from '../../../core/api/transcripts';
import { wordsOfPhrase } from '../../../core/transcript/find-phrase';
import { termsOfPhrase } from '../../../core/transcript/index-terms';
import { type ContentsWork, inProcessWork } from './contents-work';
import { type SegmentHit, toQuery } from './search-segments';
import { loadBodies, withTermsIndex } from './search-transcript';

export interface ArchiveHits {
  /** By `transcripts.id`. */
  found: Map<number, { hits: SearchHit[]; hitCount: number }>;
  /** False: the time ran out, so there may be more archives and counts are lower bounds. */
  isComplete: boolean;
  /** `before` of the next request; null: everything was searched. */
  next: number | null;
}

export interface SearchArchivesOptions {
  q: string;
  /** Names of projects; absent: all. */
  projects?: readonly string[] | undefined;
  /** `next` of the previous answer: search older segments only. */
  before?: number | undefined;
  /** Default 100 ms. */
  budgetMs?: number;
  work?: ContentsWork | undefined;
}

const BUDGET_MS = 100;
/** Segments of one index query. */
const MAX_SEGMENTS = 20_000;
const SEGMENTS_AT_ONCE = 16;
const HITS_SHOWN = 3;

export async function searchArchives(
  sql: postgres.Sql,
  { q, projects, before, budgetMs = BUDGET_MS, work = inProcessWork }: SearchArchivesOptions,
): Promise<ArchiveHits> {
  const phrase = wordsOfPhrase(q);
  const query = toQuery(termsOfPhrase(q));
  const found: ArchiveHits['found'] = new Map();
  if (query === null) return { found, isComplete: true, next: null };
  const startedAt = performance.now();
  const ofProjects = projects
    ? sql`and s.project_id in (select id from projects where name = any(${[...projects]}::text[]))`
    : sql``;
  const segments = await withTermsIndex(
    sql,
    (tx) => tx<{ id: number }[]>`
      select s.id from transcript_segments s
      where s.terms @@ ${query}::tsquery ${ofProjects} ${before === undefined ? sql`` : sql`and s.id < ${before}`}
      order by s.id desc limit ${MAX_SEGMENTS}`,
  );
  let looked = 0;
  // At least one batch, however long the index took.
  while (looked < segments.length && (looked === 0 || performance.now() - startedAt < budgetMs)) {
    const ids = segments.slice(looked, looked + SEGMENTS_AT_ONCE).map(({ id }) => id);
    await lookInto(sql, ids, { phrase, found, work });
    looked += ids.length;
  }
  const isComplete = looked === segments.length && segments.length < MAX_SEGMENTS;
  return { found, isComplete, next: isComplete ? null : (segments[looked - 1]?.id ?? null) };
}

interface Looking {
  phrase: readonly string[];
  found: ArchiveHits['found'];
  work: ContentsWork;
}

async function lookInto(
  sql: postgres.Sql,
  ids: readonly number[],
  { phrase, found, work }: Looking,
): Promise<void> {
  const bodies = [...(await loadBodies(sql, ids))];
  const hits = new Map<number, SegmentHit[]>();
  const places = await work.run('search', { phrase, bodies: bodies.map(([, body]) => body) });
  for (const [i, [id]] of bodies.entries()) {
    const own = places[i] ?? [];
    if (own.length > 0) hits.set(id, own);
  }
  if (hits.size === 0) return;
  const uses = await sql<{ transcriptId: number; segmentId: number; firstLine: number }[]>`
    select u.transcript_id as "transcriptId", u.segment_id as "segmentId", u.first_line as "firstLine"
    from transcript_segment_uses u
    join transcript_contents c on c.transcript_id = u.transcript_id and c.state = 'read'
    where u.segment_id = any(${[...hits.keys()]}::bigint[]) order by u.transcript_id, u.place`;
  for (const { transcriptId, segmentId, firstLine } of uses) {
    const known = found.get(transcriptId) ?? { hits: [], hitCount: 0 };
    for (const { line, excerpt, marks } of hits.get(segmentId) ?? []) {
      known.hitCount += 1;
      if (known.hits.length < HITS_SHOWN) known.hits.push({ line: firstLine + line, excerpt, marks });
    }
    found.set(transcriptId, known);
  }
}
