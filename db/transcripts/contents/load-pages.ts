import type postgres from 'postgres';
import { PAGE_ENTRIES } from './outline-pages';

/** The outline's pages that hold the entries [from, to), packed, in order. */
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
