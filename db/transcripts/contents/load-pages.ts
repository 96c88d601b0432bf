import { promisify } from 'node:util';
import { inflate as inflateAny } from 'node:zlib';
import type postgres from 'postgres';
import { PAGE_ENTRIES } from './outline-pages';

/** The place of what holds all pages, packed for who reads them all. */
export const WHOLE_OUTLINE = -1;
const MAX_BYTES = 512 * 1024 * 1024;
const inflate = promisify(inflateAny);

/** The body of the packed outline, unpacked once; null: there is none. */
export async function loadWholeOutline(sql: postgres.Sql, transcriptId: number): Promise<Uint8Array | null> {
  const [row] = await sql<{ data: Buffer }[]>`
    select data from transcript_pages where transcript_id = ${transcriptId} and page = ${WHOLE_OUTLINE}`;
  return row ? await inflate(row.data, { maxOutputLength: MAX_BYTES }) : null;
}

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
