/** A transcript without its texts: facts about each entry in columns, and their sums. */
import type { TranscriptCompaction, TranscriptOutline } from '../api/transcript-contents';
import type { BookedCall } from './call-book';
import type { PairColumn } from './pairs';

export interface OutlineColumns {
  /** Index into ENTRY_KINDS. */
  kind: number[];
  line: number[];
  /** Byte offset. */
  from: number[];
  /** Seconds since the epoch. */
  at: (number | null)[];
  chain: number[];
  call: (number | null)[];
  /** The call that gives the context size after the entry. */
  standing: (number | null)[];
  pair: PairColumn;
}

export type OutlineChain = TranscriptOutline['chains'][number];

export interface OutlineCompaction extends Omit<TranscriptCompaction, 'at'> {
  /** Byte offset of the boundary. */
  from: number;
  /** Seconds since the epoch. */
  at: number | null;
}

export interface Outline
  extends Pick<TranscriptOutline, 'entries' | 'messages' | 'window' | 'boundaries' | 'chains'> {
  bytes: number;
  lines: number;
  columns: OutlineColumns;
  calls: readonly BookedCall[];
  compactions: OutlineCompaction[];
}

export const emptyColumns = (): OutlineColumns => ({
  kind: [],
  line: [],
  from: [],
  at: [],
  chain: [],
  call: [],
  standing: [],
  pair: [],
});
