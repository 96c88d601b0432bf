/** Entries that were read, page by page; pure. */
import type { TranscriptEntry } from '@/core/api/transcript-contents';

/** Entries a page holds. */
export const PAGE_ENTRIES = 40;
/** Pages kept: some screens' worth to and fro. */
export const MOST_PAGES = 60;

export interface EntryPage {
  entries: ReadonlyMap<number, TranscriptEntry>;
  /** Where it was read to; the page's end once it is whole. */
  next: number;
}

export type EntryPages = ReadonlyMap<number, EntryPage>;

export const pageOf = (entry: number) => Math.floor(entry / PAGE_ENTRIES);

export function entryIn(pages: EntryPages, entry: number): TranscriptEntry | undefined {
  return pages.get(pageOf(entry))?.entries.get(entry);
}

/** Where to read on for the first of the wanted entries that is not there; null: all are. */
export function missingFrom(
  pages: EntryPages,
  wanted: readonly number[],
  total: number,
): { from: number; count: number } | null {
  for (const entry of wanted) {
    if (entry < 0 || entry >= total) continue;
    const index = pageOf(entry);
    const page = pages.get(index);
    const begin = index * PAGE_ENTRIES;
    const end = Math.min(total, begin + PAGE_ENTRIES);
    const from = page?.next ?? begin;
    if (from <= entry) return { from, count: end - from };
  }
  return null;
}

/**
 * The pages with an answer in them. An answer may be shorter than what was asked for; what it skips is not there.
 * @param next where the next answer begins; null: that was the end of the transcript
 */
export function withEntries(
  pages: EntryPages,
  asked: { from: number; count: number },
  answer: readonly TranscriptEntry[],
  next: number | null,
): EntryPages {
  const index = pageOf(asked.from);
  const end = asked.from + asked.count;
  const entries = new Map(pages.get(index)?.entries);
  for (const entry of answer) if (pageOf(entry.entry) === index) entries.set(entry.entry, entry);
  const result = new Map(pages);
  // Behind the others: the one read last is given up last.
  result.delete(index);
  // An answer that brings nothing must not be asked for for ever.
  result.set(index, { entries, next: next === null || next <= asked.from ? end : Math.min(next, end) });
  for (const oldest of result.keys()) {
    if (result.size <= MOST_PAGES) break;
    result.delete(oldest);
  }
  return result;
}
