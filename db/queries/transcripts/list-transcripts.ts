import type postgres from 'postgres';
import * as z from 'zod';
import { text } from '../../../core/api/parameters';
import {
  DEFAULT_TRANSCRIPT_LIMIT,
  type ListTranscriptsParameters,
  TRANSCRIPT_SORTS,
  type TranscriptList,
  type TranscriptSort,
} from '../../../core/api/transcripts';
import type { ContentsWork } from '../../transcripts/contents/contents-work';
import { searchArchives } from '../../transcripts/contents/search-contents';
import { decodeCursor, encodeCursor, pageOf } from '../cursor';
import { allOf } from '../fragments';
import {
  type StoredTranscript,
  toTranscriptRow,
  transcriptColumns,
  transcriptConditions,
  transcriptTables,
} from './transcript-row';

const cursorShape = z.object({
  list: z.literal('transcripts'),
  sort: z.enum(TRANSCRIPT_SORTS),
  order: z.enum(['asc', 'desc']),
  /** Rank (1: no value), value, id. */
  key: z.tuple([z.int32(), z.union([z.number(), text(1_000)]), z.int32()]),
});

const searchCursorShape = z.object({ list: z.literal('search'), before: z.int32() });
/** Time budget of a continued search. A search while typing has a shorter budget. */
const SEARCH_ON_MS = 600;

interface ListedRow extends StoredTranscript {
  rank: number;
  value: number | string | null;
}

/**
 * Transcripts in any state; rows without a value of the sort key come last.
 * @throws InvalidParameterError for a cursor of another list
 */
export async function listTranscripts(
  sql: postgres.Sql,
  parameters: ListTranscriptsParameters = {},
  { work }: { work?: ContentsWork } = {},
): Promise<TranscriptList> {
  const { limit = DEFAULT_TRANSCRIPT_LIMIT, q, project, searchFrom } = parameters;
  const before = decodeCursor(searchFrom, searchCursorShape)?.before ?? null;
  const more = before === null ? {} : { before, budgetMs: SEARCH_ON_MS };
  const search = q?.trim() ? await searchArchives(sql, { q, projects: project, work, ...more }) : null;
  const cursor = decodeCursor(parameters.cursor, cursorShape);
  const sort = cursor?.sort ?? parameters.sort ?? 'at';
  const order = cursor?.order ?? parameters.order ?? 'desc';
  const matching = allOf(sql, [
    ...transcriptConditions(sql, parameters),
    search && sql`t.id = any(${[...search.found.keys()]}::int[])`,
  ]);
  const tables = transcriptTables(sql);
  const value = sortValue(sql, sort);
  const way = order === 'asc' ? sql`asc` : sql`desc`;
  const [counts, rows] = await Promise.all([
    sql<{ total: number }[]>`
      select count(*)::int as total from ${tables} where ${matching}`,
    sql<ListedRow[]>`
      with page as (
        select x.* from (
          select t.id, (${value} is null)::int as rank, ${value} as value
          from ${tables} where ${matching}
        ) x
        ${cursor ? sql`where ${behind(sql, cursor.key, sort, order)}` : sql``}
        order by x.rank, x.value ${way}, x.id limit ${limit + 1}
      )
      select page.rank, page.value, ${transcriptColumns(sql)}
      from page join (${tables}) on t.id = page.id
      order by page.rank, page.value ${way}, page.id`,
  ]);
  const keyOf = ({ rank, value, id }: ListedRow) => ({
    list: 'transcripts',
    sort,
    order,
    key: [rank, value ?? 0, id],
  });
  const { page, nextCursor } = pageOf(rows, limit, keyOf);
  return {
    transcripts: page.map(({ rank: _rank, value: _value, ...row }) => ({
      ...toTranscriptRow(row),
      hits: search?.found.get(row.id)?.hits ?? [],
      hitCount: search?.found.get(row.id)?.hitCount ?? null,
    })),
    total: counts[0]?.total ?? 0,
    ...(search && {
      isSearchComplete: search.isComplete,
      searchCursor: search.next === null ? null : encodeCursor({ list: 'search', before: search.next }),
    }),
    nextCursor,
  };
}

/** Condition for rows after a key. Rows without a value are ordered by id only. */
function behind(
  sql: postgres.ISql,
  [rank, value, id]: z.infer<typeof cursorShape>['key'],
  sort: TranscriptSort,
  order: 'asc' | 'desc',
) {
  if (rank > 0) return sql`x.rank > 0 and x.id > ${id}::int`;
  const than = sort === 'session' ? sql`${String(value)}::text` : sql`${Number(value)}::float8`;
  const isFurther = order === 'asc' ? sql`x.value > ${than}` : sql`x.value < ${than}`;
  return sql`(x.rank > 0 or ${isFurther} or (x.value = ${than} and x.id > ${id}::int))`;
}

/** Times in milliseconds; all numbers are exact as a float. */
function sortValue(sql: postgres.ISql, sort: TranscriptSort) {
  if (sort === 'at') return sql`(extract(epoch from t.at) * 1000)::float8`;
  if (sort === 'session') return sql`left(lower(coalesce(s.title, s.key, t.session_key)), 200) collate "C"`;
  return sql`${sql(`t.${sort}`)}::float8`;
}
