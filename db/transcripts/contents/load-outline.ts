import type postgres from 'postgres';
import type { TranscriptOutline } from '../../../core/api/transcript-contents';
import { type ContentsWork, inProcessWork } from './contents-work';
import { type ContentsRow, findChains } from './find-contents';
import { PAGE_ENTRIES } from './outline-pages';

/**
 * The transcript without its text, as JSON text, which may be long.
 * @param count only the first entries and their calls; undefined: all
 */
export async function answerOutline(
  sql: postgres.Sql,
  row: ContentsRow,
  count?: number,
  work: ContentsWork = inProcessWork,
): Promise<Uint8Array> {
  const isRead = row.state === 'read';
  const [pages, { chains, compactions }] = await Promise.all([
    isRead ? loadPages(sql, row.transcriptId, 0, count ?? Number.MAX_SAFE_INTEGER) : [],
    findChains(sql, row),
  ]);
  const { publicId: id, state, reason, readAt, format, bytes, lines, entries, messages } = row;
  const { window, secrets, boundaries } = row;
  const head = {
    id,
    state,
    reason,
    readAt: readAt?.toISOString() ?? null,
    format,
    bytes,
    lines,
    entries,
    messages,
    window,
    secrets,
    boundaries,
  };
  return work.run('outline', { pages, chains, compactions, head, count });
}

/** `answerOutline` as values. */
export async function loadOutline(sql: postgres.Sql, row: ContentsRow): Promise<TranscriptOutline> {
  const json = await answerOutline(sql, row);
  return JSON.parse(new TextDecoder().decode(json)) as TranscriptOutline;
}

/** The compressed outline pages that hold the entries [from, to), in order. */
export async function loadPages(
  sql: postgres.Sql,
  transcriptId: number,
  from: number,
  to: number,
): Promise<Buffer[]> {
  const firstPage = Math.floor(from / PAGE_ENTRIES);
  const lastPage = Math.min(2_147_483_647, Math.floor(Math.max(from, to - 1) / PAGE_ENTRIES));
  const rows = await sql<{ data: Buffer }[]>`
    select data from transcript_pages
    where transcript_id = ${transcriptId} and page between ${firstPage} and ${lastPage} order by page`;
  return rows.map(({ data }) => data);
}
