import type postgres from 'postgres';
import type { TranscriptCompaction, TranscriptOutline } from '../../../core/api/transcript-contents';
import type { BookedCall } from '../../../core/transcript/call-book';
import type { OutlineCompaction } from '../../../core/transcript/outline';
import { first } from '../../../core/transcript/pairs';
import type { ContentsRow } from './find-contents';
import { joinPages, type OutlinePage, PAGE_ENTRIES } from './outline-pages';
import { unpackJson } from './pack-json';

/** The whole transcript without its text. */
export async function loadOutline(sql: postgres.Sql, row: ContentsRow): Promise<TranscriptOutline> {
  const pages =
    row.state === 'read' ? await loadPages(sql, row.transcriptId, 0, Number.MAX_SAFE_INTEGER) : [];
  const { columns, end, calls } = joinPages(pages);
  return {
    id: row.publicId,
    state: row.state,
    reason: row.reason,
    readAt: row.readAt?.toISOString() ?? null,
    format: row.format,
    bytes: row.bytes,
    lines: row.lines,
    entries: row.entries,
    messages: row.messages,
    window: row.window,
    secrets: row.secrets,
    columns: {
      kind: columns.kind,
      line: columns.line,
      bytes: columns.from.map((from, i) => (columns.from[i + 1] ?? end) - from),
      at: columns.at,
      chain: columns.chain,
      call: columns.call,
      pair: columns.pair.map(first),
    },
    calls: sparse(calls),
    chains: row.chains,
    compactions: row.compactions.map(toCompaction),
  };
}

/** Pages that hold the entries [from, to). */
export async function loadPages(
  sql: postgres.Sql,
  transcriptId: number,
  from: number,
  to: number,
): Promise<OutlinePage[]> {
  const firstPage = Math.floor(from / PAGE_ENTRIES);
  const lastPage = Math.min(2_147_483_647, Math.floor(Math.max(from, to - 1) / PAGE_ENTRIES));
  const rows = await sql<{ data: Buffer }[]>`
    select data from transcript_pages
    where transcript_id = ${transcriptId} and page between ${firstPage} and ${lastPage} order by page`;
  return rows.map(({ data }) => unpackJson<OutlinePage>(data));
}

/** Numbers of calls are places in this list: one that no page names (its entry was none of a page's) stays empty. */
function sparse(calls: readonly [number, BookedCall][]): TranscriptOutline['calls'] {
  const list: TranscriptOutline['calls'] = [];
  for (const [number, { isSide: _, ...call }] of calls) {
    while (list.length < number) list.push({ ...NO_CALL });
    list.push(call);
  }
  return list;
}

const NO_CALL = {
  entry: 0,
  chain: 0,
  model: null,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheCreation: 0,
  contextTokens: 0,
};

export function toCompaction({ from: _, at, ...rest }: OutlineCompaction): TranscriptCompaction {
  return { ...rest, at: isoOfSeconds(at) };
}

export const isoOfSeconds = (at: number | null): string | null =>
  at === null ? null : new Date(Math.round(at * 1_000)).toISOString();
