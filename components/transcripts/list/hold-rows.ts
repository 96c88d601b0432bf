/** Rows that were read page by page, how a newer first page joins them, and what a search that goes on adds. */
import type { TranscriptList } from '@/core/api/transcripts';
import { sortRows } from './sort-rows';

export type ListedTranscript = TranscriptList['transcripts'][number];

export interface HeldRows {
  /** The question they answer. */
  question: string;
  rows: readonly ListedTranscript[];
  total: number;
  /** Where the next page begins; null: these are all. */
  cursor: string | null;
  /** The part of the search that this next page is of; null: its first. */
  searched: string | null;
  /** Parts with further pages nobody has read yet, in the order in which they are to be read after that one. */
  unread: readonly UnreadPart[];
  /** Where a search goes on for what is older; null: it looked at everything. */
  searchCursor: string | null;
  /** It went on: rows of several parts stand here, in the order of the list. */
  wentOn: boolean;
}

type UnreadPart = { cursor: string; searched: string | null };

/** The first of the parts that have pages left, and those behind it. */
function nextOf(parts: readonly { cursor: string | null; searched: string | null }[]): {
  cursor: string | null;
  searched: string | null;
  unread: readonly UnreadPart[];
} {
  const [next, ...unread] = parts.flatMap(({ cursor, searched }) =>
    cursor === null ? [] : [{ cursor, searched }],
  );
  return { cursor: next?.cursor ?? null, searched: next?.searched ?? null, unread };
}

const HITS_SHOWN = 3;

/** A first page: of another question it is all there is; of the same one the pages behind it stay. */
export function takeFirst(held: HeldRows | null, page: TranscriptList, question: string): HeldRows {
  const { transcripts: rows, total, nextCursor: cursor, searchCursor = null } = page;
  const fresh = { question, rows, total, cursor, searchCursor, searched: null, unread: [], wentOn: false };
  if (held === null || held.question !== question || held.rows.length <= rows.length) return fresh;
  const known = new Set(rows.map(({ id }) => id));
  if (held.wentOn) {
    // What is older was looked through already: only what the first part finds is new.
    const others = held.rows.filter(({ id }) => !known.has(id));
    const before = new Map(held.rows.map((row) => [row.id, row]));
    const first = rows.map((row) => {
      const own = before.get(row.id);
      return own === undefined ? row : { ...row, hits: own.hits, hitCount: own.hitCount };
    });
    const all = sortRows([...first, ...others], question);
    return { ...held, rows: all, total: all.length };
  }
  const overlap = held.rows.some(({ id }) => known.has(id));
  // So much is new that between the page and what is held lies what nobody read.
  if (!overlap || cursor === null) return fresh;
  return {
    ...held,
    rows: [...rows, ...behindPage(held.rows, rows).filter(({ id }) => !known.has(id))],
    total,
    searchCursor,
  };
}

/** Held rows behind the last one of the page that was held before. */
function behindPage(held: readonly ListedTranscript[], page: readonly ListedTranscript[]) {
  const places = new Map(held.map(({ id }, index) => [id, index]));
  const last = page.findLast(({ id }) => places.has(id));
  return held.slice((last === undefined ? -1 : (places.get(last.id) ?? -1)) + 1);
}

/** A further page. */
export function takeMore(held: HeldRows | null, page: TranscriptList): HeldRows | null {
  if (held === null) return null;
  const { rows, news } = addRows(held.rows, page.transcripts);
  if (!held.wentOn) return { ...held, rows, total: page.total, cursor: page.nextCursor };
  const total = Math.max(held.total, held.rows.length + news);
  const next = nextOf([{ cursor: page.nextCursor, searched: held.searched }, ...held.unread]);
  return { ...held, ...next, rows: sortRows(rows, held.question), total };
}

/** What the search found further back: in further transcripts, and further places in those that are here; in the list's order. */
export function takeOlder(held: HeldRows | null, page: TranscriptList, searched: string): HeldRows | null {
  if (held === null) return null;
  const { rows, news } = addRows(held.rows, page.transcripts);
  const total = held.total + Math.max(news, page.total - (page.transcripts.length - news));
  const { nextCursor, searchCursor = null } = page;
  // Pages of the parts before it that nobody has read yet come first.
  const next = nextOf([held, ...held.unread, { cursor: nextCursor, searched }]);
  return { ...held, ...next, rows: sortRows(rows, held.question), total, searchCursor, wentOn: true };
}

function addRows(
  held: readonly ListedTranscript[],
  found: readonly ListedTranscript[],
): { rows: ListedTranscript[]; news: number } {
  const rows = new Map(held.map((row) => [row.id, row]));
  let news = 0;
  for (const row of found) {
    const known = rows.get(row.id);
    if (known === undefined) {
      news += 1;
      rows.set(row.id, row);
    } else if (row.hitCount !== null) {
      rows.set(row.id, {
        ...row,
        hits: [...known.hits, ...row.hits].slice(0, HITS_SHOWN),
        hitCount: (known.hitCount ?? 0) + row.hitCount,
      });
    }
  }
  return { rows: [...rows.values()], news };
}
