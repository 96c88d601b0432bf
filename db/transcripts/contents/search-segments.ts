/** Places of a phrase in segments that may hold it. */
import type { SearchHit } from '../../../core/api/transcripts';
import type { SearchPiece } from '../../../core/transcript/contents-reading';
import { excerptOf, findPhrase } from '../../../core/transcript/find-phrase';
import { unpackJson } from './pack-json';

export interface SegmentHit extends SearchHit {
  entry: number;
  /** Places in the entry's piece of text. */
  count: number;
}

/** Places of one piece that are looked for: a page marks what it shows. */
const MAX_PLACES = 200;

/** Hits by entry, numbered from the segment's first; a text that overlaps the one before gives its places once. */
export function searchSegment(body: Uint8Array, phrase: readonly string[]): SegmentHit[] {
  const hits: SegmentHit[] = [];
  let before: { entry: number; end: number } | null = null;
  for (const { entry, line, at, text } of unpackJson<SearchPiece[]>(body)) {
    const seen = before?.entry === entry ? before.end : 0;
    const places = findPhrase(text, phrase, MAX_PLACES).filter(([, to]) => at + to > seen);
    before = { entry, end: at + text.length };
    if (places.length > 0) hits.push({ entry, line, ...excerptOf(text, places), count: places.length });
  }
  return hits;
}

/** What segments with the phrase are asked for; null: it has no words. */
export function toQuery(terms: readonly string[]): string | null {
  // Terms are letters, digits and one space: nothing in them needs more than quotes.
  return terms.length === 0 ? null : terms.map((term) => `'${term}'`).join(' & ');
}
