import type postgres from 'postgres';
import type { TranscriptOutline } from '../../../core/api/transcript-contents';
import { type ContentsWork, inProcessWork } from './contents-work';
import { type ContentsRow, findChains } from './find-contents';
import { loadPages } from './load-pages';

/** The whole transcript without its text, as JSON text or packed: bytes, because it may be long. */
export async function answerOutline(
  sql: postgres.Sql,
  row: ContentsRow,
  as: 'json' | 'packed',
  work: ContentsWork = inProcessWork,
): Promise<Uint8Array> {
  const isRead = row.state === 'read';
  const [pages, { chains, compactions }] = await Promise.all([
    isRead ? loadPages(sql, row.transcriptId, 0, Number.MAX_SAFE_INTEGER) : [],
    findChains(sql, row),
  ]);
  return work.run('outline', {
    as,
    pages,
    chains,
    compactions,
    head: {
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
    },
  });
}

/** As `answerOutline`, as values. */
export async function loadOutline(sql: postgres.Sql, row: ContentsRow): Promise<TranscriptOutline> {
  const json = await answerOutline(sql, row, 'json');
  return JSON.parse(new TextDecoder().decode(json)) as TranscriptOutline;
}
