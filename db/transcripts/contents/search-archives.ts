/**
 * Which of all archives hold a phrase. The index names segments that hold its words (and its pairs of common words);
 * their texts then tell whether the words follow one another. The newest are looked at first, for a limited time: of a
 * phrase that stands everywhere not every place is counted.
 */
import type postgres from 'postgres';
import type { SearchHit } from '../../../core/api/transcripts';
import { wordsOfPhrase } from '../../../core/transcript/find-phrase';
import { termsOfPhrase } from '../../../core/transcript/index-terms';
import { withTermsIndex } from './find-segments';
import { type SegmentHit, searchSegment, toQuery } from './search-segments';
import { loadBodies } from './search-transcript';

export interface ArchiveHits {
  /** By `transcripts.id`. */
  found: Map<number, { hits: SearchHit[]; hitCount: number }>;
  /** False: there was no time to look at every segment, so more archives may hold it and counts are lower bounds. */
  isComplete: boolean;
}

export interface SearchArchivesOptions {
  q: string;
  /** Names of projects; absent: all. */
  projects?: readonly string[] | undefined;
  /** Default 150 ms. */
  budgetMs?: number;
}

const BUDGET_MS = 150;
/** Segments the index may name before the newest of them are taken alone. */
const MAX_SEGMENTS = 20_000;
const SEGMENTS_AT_ONCE = 16;
const HITS_SHOWN = 3;

export async function searchArchives(
  sql: postgres.Sql,
  { q, projects, budgetMs = BUDGET_MS }: SearchArchivesOptions,
): Promise<ArchiveHits> {
  const phrase = wordsOfPhrase(q);
  const query = toQuery(termsOfPhrase(q));
  const found: ArchiveHits['found'] = new Map();
  if (query === null) return { found, isComplete: true };
  const startedAt = performance.now();
  const ofProjects = projects
    ? sql`and s.project_id in (select id from projects where name = any(${[...projects]}::text[]))`
    : sql``;
  const segments = await withTermsIndex(
    sql,
    (tx) => tx<{ id: number }[]>`
      select s.id from transcript_segments s
      where s.terms @@ ${query}::tsquery ${ofProjects}
      order by s.id desc limit ${MAX_SEGMENTS + 1}`,
  );
  let isComplete = segments.length <= MAX_SEGMENTS;
  for (let i = 0; i < segments.length; i += SEGMENTS_AT_ONCE) {
    // The first ones are looked at however long the index took.
    if (i > 0 && performance.now() - startedAt > budgetMs) {
      isComplete = false;
      break;
    }
    await lookInto(
      sql,
      segments.slice(i, i + SEGMENTS_AT_ONCE).map(({ id }) => id),
      phrase,
      found,
    );
  }
  return { found, isComplete };
}

async function lookInto(
  sql: postgres.Sql,
  ids: readonly number[],
  phrase: readonly string[],
  found: ArchiveHits['found'],
): Promise<void> {
  const bodies = await loadBodies(sql, ids);
  const hits = new Map<number, SegmentHit[]>();
  for (const [id, body] of bodies) {
    const own = searchSegment(body, phrase);
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
