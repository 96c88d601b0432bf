import type postgres from 'postgres';
import type { TranscriptOutline } from '../../../core/api/transcript-contents';
import { joinOutline, packOutlineBody } from '../../../core/transcript/packed-outline';
import { type ContentsWork, inProcessWork } from './contents-work';
import { type ContentsRow, findChains } from './find-contents';
import { loadPages, loadWholeOutline } from './load-pages';
import { shapePages, toCompaction } from './shape-outline';

export interface OutlineWanted {
  as: 'json' | 'packed';
  /** As JSON, the first so many entries alone. */
  count?: number | undefined;
}

/** The transcript without its text, as JSON text or packed: bytes, because it may be long. */
export async function answerOutline(
  sql: postgres.Sql,
  row: ContentsRow,
  { as, count }: OutlineWanted,
  work: ContentsWork = inProcessWork,
): Promise<Uint8Array> {
  const isRead = row.state === 'read';
  const { transcriptId } = row;
  const [whole, pages, { chains, compactions }] = await Promise.all([
    isRead && as === 'packed' ? loadWholeOutline(sql, transcriptId) : null,
    isRead && as === 'json' ? loadPages(sql, transcriptId, 0, count ?? Number.MAX_SAFE_INTEGER) : [],
    findChains(sql, row),
  ]);
  const head = {
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
    boundaries: row.boundaries,
  };
  if (as === 'packed') {
    const body = whole ?? packOutlineBody(shapePages([]));
    return joinOutline({ ...head, chains, compactions: compactions.map(toCompaction) }, body);
  }
  return work.run('outline', { pages, chains, compactions, head, count });
}

/** As `answerOutline`, as values. */
export async function loadOutline(sql: postgres.Sql, row: ContentsRow): Promise<TranscriptOutline> {
  const json = await answerOutline(sql, row, { as: 'json' });
  return JSON.parse(new TextDecoder().decode(json)) as TranscriptOutline;
}
