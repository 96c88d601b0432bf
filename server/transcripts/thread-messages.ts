import type { Contents, Segment } from '../../core/transcript/contents-reading';

/** What the thread is asked, one at a time. */
export type ThreadRequest =
  | { type: 'scan'; bytes: Uint8Array }
  | { type: 'end_scan' }
  | { type: 'read'; bytes: Uint8Array }
  | { type: 'finish' };

export type ThreadAnswer =
  | { type: 'done'; segments: Segment[] }
  | { type: 'finished'; segments: Segment[]; contents: Contents }
  | { type: 'failed'; reason: string };
