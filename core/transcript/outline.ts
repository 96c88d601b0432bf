/** A transcript without its text: what every entry is, column by column, and what they add up to. */
import type { BookedCall } from './call-book';

export interface OutlineColumns {
  /** Index into ENTRY_KINDS. */
  kind: number[];
  line: number[];
  /** Byte offset. */
  from: number[];
  /** Seconds since the epoch. */
  at: (number | null)[];
  /** Index into the chains. */
  chain: number[];
  /** Index into the calls. */
  call: (number | null)[];
  /** The call whose context is current after the entry. */
  standing: (number | null)[];
  /** The other entry of a tool call and its result; a list where an entry holds several, in its blocks' order. */
  pair: (number | null | (number | null)[])[];
}

export interface OutlineChain {
  key: string;
  call: number | null;
  entry: number;
  entries: number;
}

export interface OutlineCompaction {
  entry: number;
  /** Byte offset of the boundary. */
  from: number;
  summary: number | null;
  at: number | null;
  trigger: 'auto' | 'manual' | null;
  preTokens: number | null;
  postTokens: number | null;
  durationMs: number | null;
}

export interface Outline {
  bytes: number;
  lines: number;
  entries: number;
  messages: number;
  window: number | null;
  columns: OutlineColumns;
  calls: readonly BookedCall[];
  chains: OutlineChain[];
  /** Compactions in the file; the list may have fewer. */
  boundaries: number;
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
