/** Matches of a phrase within segments. */
import type { SearchHit } from '../../../core/api/transcripts';
import type { SearchPiece } from '../../../core/transcript/contents-reading';
import { excerptOf, findPhrase } from '../../../core/transcript/find-phrase';
import { unpackJson } from './outline-pages';

export interface SegmentHit extends SearchHit {
  entry: number;
}

const MAX_PLACES = 200;

/** Hits by entry, numbered from the segment's first; matches in overlapping texts count once. */
export function searchSegment(body: Uint8Array, phrase: readonly string[]): SegmentHit[] {
  const hits: SegmentHit[] = [];
  let before: { entry: number; end: number } | null = null;
  for (const { entry, line, at, text } of unpackJson<SearchPiece[]>(body)) {
    const seen = before?.entry === entry ? before.end : 0;
    const places = findPhrase(text, phrase, MAX_PLACES).filter(([, to]) => at + to > seen);
    before = { entry, end: at + text.length };
    if (places.length > 0) hits.push({ entry, line, ...excerptOf(text, places) });
  }
  return hits;
}
