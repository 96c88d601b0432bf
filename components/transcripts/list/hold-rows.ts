/** Rows that were read page by page, and how a newer first page joins them. */
import type { TranscriptList } from '@/core/api/transcripts';

export type ListedTranscript = TranscriptList['transcripts'][number];

export interface HeldRows {
  /** The question they answer. */
  question: string;
  rows: readonly ListedTranscript[];
  total: number;
  /** Where the next page begins; null: these are all. */
  cursor: string | null;
  /** False: the search ended before it had looked into the oldest ones. */
  isSearchComplete: boolean;
}

/** A first page: of another question it is all there is; of the same one the pages behind it stay. */
export function takeFirst(held: HeldRows | null, page: TranscriptList, question: string): HeldRows {
  const { transcripts: rows, total, nextCursor: cursor, isSearchComplete = true } = page;
  const fresh = { question, rows, total, cursor, isSearchComplete };
  if (held === null || held.question !== question || held.rows.length <= rows.length) return fresh;
  const known = new Set(rows.map(({ id }) => id));
  const overlap = held.rows.some(({ id }) => known.has(id));
  // So much is new that between the page and what is held lies what nobody read.
  if (!overlap || cursor === null) return fresh;
  return {
    question,
    rows: [...rows, ...held.rows.slice(rows.length).filter(({ id }) => !known.has(id))],
    total,
    cursor: held.cursor,
    isSearchComplete,
  };
}

/** A further page. */
export function takeMore(held: HeldRows | null, page: TranscriptList): HeldRows | null {
  if (held === null) return null;
  const known = new Set(held.rows.map(({ id }) => id));
  return {
    ...held,
    rows: [...held.rows, ...page.transcripts.filter(({ id }) => !known.has(id))],
    total: page.total,
    cursor: page.nextCursor,
  };
}
