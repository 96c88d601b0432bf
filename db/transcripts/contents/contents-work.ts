/**
 * The CPU work of reads: unpacking, parsing, masking, searching. Pure, but slow for hostile files, so the server runs it
 * in threads (server/transcripts/thread-pools.ts).
 */
import { maskSource, type SourceAsked } from './mask-source';
import { type SegmentHit, searchSegment } from './search-segments';
import { findPlaces, type MessagesAsked, type PlacesAsked, shapeMessages } from './shape-messages';
import { type OutlineAsked, shapeOutline } from './shape-outline';

const encoder = new TextEncoder();

export const contentsTasks = {
  places: (asked: PlacesAsked) => findPlaces(asked),
  /** Entries as JSON text. */
  messages: (asked: MessagesAsked): Uint8Array => encoder.encode(JSON.stringify(shapeMessages(asked))),
  outline: (asked: OutlineAsked): Uint8Array => encoder.encode(JSON.stringify(shapeOutline(asked))),
  /** Places in each of some segments. */
  search: ({
    phrase,
    bodies,
  }: {
    phrase: readonly string[];
    bodies: readonly Uint8Array[];
  }): SegmentHit[][] => bodies.map((body) => searchSegment(body, phrase)),
  source: (asked: SourceAsked) => maskSource(asked),
};

type Tasks = typeof contentsTasks;
type ContentsTask = keyof Tasks;
type TaskInput<K extends ContentsTask> = Parameters<Tasks[K]>[0];
type TaskOutput<K extends ContentsTask> = Awaited<ReturnType<Tasks[K]>>;

export interface ContentsWork {
  /** @throws ContentsTooHeavyError when it exceeds its time or memory limit */
  run<K extends ContentsTask>(task: K, input: TaskInput<K>): Promise<TaskOutput<K>>;
}

export class ContentsTooHeavyError extends Error {
  override readonly name = 'ContentsTooHeavyError';
}

async function runTask<K extends ContentsTask>(task: K, input: TaskInput<K>): Promise<TaskOutput<K>> {
  const work = contentsTasks[task] as (asked: TaskInput<K>) => TaskOutput<K> | Promise<TaskOutput<K>>;
  return await work(input);
}

export const inProcessWork: ContentsWork = {
  run: runTask,
};
