import type { PackedContents, PackedSegment } from '../../db/transcripts/contents/pack-contents';

/** What the thread is asked, one at a time. */
export type ThreadRequest =
  | { type: 'scan'; bytes: Uint8Array }
  | { type: 'end_scan' }
  | { type: 'follow'; summary: string }
  | { type: 'read'; bytes: Uint8Array }
  | { type: 'finish' };

export type ThreadAnswer =
  | { type: 'done'; segments: PackedSegment[] }
  | { type: 'finished'; segments: PackedSegment[]; contents: PackedContents }
  | { type: 'failed'; reason: string };
