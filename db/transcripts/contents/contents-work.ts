/**
 * CPU work of reads, which is slow for hostile files. The server runs it in threads
 * (server/transcripts/thread-pools.ts).
 */

import type { SearchHit } from '../../../core/api/transcripts';
import { findPlaces as findSecretPlaces, maskRange } from '../../../core/secrets/mask-text';
import type { SearchPiece } from '../../../core/transcript/contents-reading';
import { excerptOf, findPhrase } from '../../../core/transcript/find-phrase';
import { type OutlineAsked, shapeOutline, unpackJson } from './outline-pages';
import { findPlaces, type MessagesAsked, type PlacesAsked, shapeMessages } from './shape-messages';

const encoder = new TextEncoder();
const LINE_FEED = 0x0a;

export interface SegmentHit extends SearchHit {
  entry: number;
}

const MAX_PLACES = 200;

/** Hits of a segment. Entry 0 is the segment's first entry. Matches in overlapping texts count once. */
function searchSegment(body: Uint8Array, phrase: readonly string[]): SegmentHit[] {
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

export const contentsTasks = {
  places: (asked: PlacesAsked) => findPlaces(asked),
  messages: (asked: MessagesAsked): Uint8Array => encoder.encode(JSON.stringify(shapeMessages(asked))),
  outline: (asked: OutlineAsked): Uint8Array => encoder.encode(JSON.stringify(shapeOutline(asked))),
  search: (asked: { phrase: readonly string[]; bodies: readonly Uint8Array[] }): SegmentHit[][] =>
    asked.bodies.map((body) => searchSegment(body, asked.phrase)),
  /** A part of a file with masked secrets, and the offset of its end. The part ends at a line end if it has one. */
  async source(asked: {
    bytes: Uint8Array;
    from: number;
    to: number;
  }): Promise<{ text: string; to: number }> {
    const { bytes, from, to: most } = asked;
    const places = await findSecretPlaces(bytes);
    const feed = bytes.subarray(from, most).lastIndexOf(LINE_FEED);
    const to = most < bytes.length && feed !== -1 ? from + feed + 1 : most;
    return { text: maskRange(bytes, places, from, to), to };
  },
};

type Tasks = typeof contentsTasks;
type ContentsTask = keyof Tasks;

export interface ContentsWork {
  /** @throws ContentsTooHeavyError when the work exceeds its time or memory limit */
  run<K extends ContentsTask>(
    task: K,
    input: Parameters<Tasks[K]>[0],
  ): Promise<Awaited<ReturnType<Tasks[K]>>>;
}

export class ContentsTooHeavyError extends Error {
  override readonly name = 'ContentsTooHeavyError';
}

export const inProcessWork: ContentsWork = {
  run: async (task, input) => (await contentsTasks[task](input as never)) as never,
};
