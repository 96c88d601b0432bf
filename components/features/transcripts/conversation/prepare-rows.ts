/**
 * The rows of a conversation, from the outline alone: entries of one call share a row, results are with their calls,
 * client records and sub-agents are folded. Every entry but blank lines is in a row; the raw view has those too.
 */

import { ENTRY_KINDS, type EntryKind } from '@/core/agents/entry';
import type { TranscriptOutline } from '@/core/api/transcript-contents';

export interface ConversationRow {
  kind: 'message' | 'boundary' | 'records' | 'side' | 'raw' | 'lines';
  /** Its entries, ascending, never empty. The first identifies the row. */
  entries: readonly number[];
  /** Index into the outline's chains. */
  chain: number;
  /** Rows inside a fold are indented. */
  depth: 0 | 1;
}

/** Lines of a text file per row. */
const LINES_A_ROW = 40;
/** A call with more entries is split into several rows. */
const ENTRIES_A_ROW = 60;
/** Kinds that share a row when they have the same call. */
const OF_A_CALL: ReadonlySet<EntryKind> = new Set(['assistant', 'thinking', 'tool_call']);

export type OutlineColumns = Pick<TranscriptOutline, 'columns'>;

export function kindOf({ columns }: OutlineColumns, entry: number): EntryKind {
  return ENTRY_KINDS[columns.kind[entry] ?? -1] ?? 'raw';
}

/** @param open first entries of the open folds: runs of records, sub-agents */
export function prepareRows(
  outline: TranscriptOutline,
  open: ReadonlySet<number>,
): readonly ConversationRow[] {
  const rows: ConversationRow[] = [];
  const count = outline.entries;
  const home = homeChain(outline);
  const isHome = (chain: number) => chain === 0 || chain === home;
  for (let entry = 0; entry < count; ) {
    if (isHome(outline.columns.chain[entry] ?? 0)) {
      const end = endOfStretch(outline, entry, isHome);
      addStretch(rows, outline, range(entry, end), 0, open);
      entry = end;
      continue;
    }
    const end = endOfStretch(outline, entry, (chain) => !isHome(chain));
    addSubAgents(rows, outline, entry, end, open);
    entry = end;
  }
  return rows;
}

/** The chain that is not folded: main, or the agent's in a sub-agent's own file, where main is empty. */
function homeChain(outline: TranscriptOutline): number {
  const { chain } = outline.columns;
  for (let entry = 0; entry < outline.entries; entry += 1) {
    const kind = kindOf(outline, entry);
    if (chain[entry] === 0 && kind !== 'record' && kind !== 'blank') return 0;
  }
  return outline.chains.reduce((most, { entries }, number) => {
    const known = most === 0 ? 0 : (outline.chains[most]?.entries ?? 0);
    return number > 0 && entries > known ? number : most;
  }, 0);
}

/** One row per entry, in file order. */
export function prepareRawRows(outline: TranscriptOutline): ConversationRow[] {
  return Array.from({ length: outline.entries }, (_, entry) => ({
    kind: 'raw',
    entries: [entry],
    chain: outline.columns.chain[entry] ?? 0,
    depth: 0,
  }));
}

function endOfStretch(outline: TranscriptOutline, from: number, belongs: (chain: number) => boolean): number {
  let end = from + 1;
  while (end < outline.entries && belongs(outline.columns.chain[end] ?? 0)) end += 1;
  return end;
}

function range(from: number, to: number): number[] {
  const all: number[] = [];
  for (let entry = from; entry < to; entry += 1) all.push(entry);
  return all;
}

/** Concurrent sub-agents each get a fold, in order of their start. */
function addSubAgents(
  rows: ConversationRow[],
  outline: TranscriptOutline,
  from: number,
  to: number,
  open: ReadonlySet<number>,
): void {
  const byChain = new Map<number, number[]>();
  for (let entry = from; entry < to; entry += 1) {
    const chain = outline.columns.chain[entry] ?? 0;
    const entries = byChain.get(chain);
    if (entries === undefined) byChain.set(chain, [entry]);
    else entries.push(entry);
  }
  for (const [chain, entries] of byChain) {
    rows.push({ kind: 'side', entries, chain, depth: 0 });
    if (open.has(entries[0] ?? -1)) addStretch(rows, outline, entries, 1, open);
  }
}

function addStretch(
  rows: ConversationRow[],
  outline: TranscriptOutline,
  entries: readonly number[],
  depth: ConversationRow['depth'],
  open: ReadonlySet<number>,
): void {
  const { columns } = outline;
  let message: number[] = [];
  let records: number[] = [];
  let lines: number[] = [];
  const put = (kind: ConversationRow['kind'], held: readonly number[]) => {
    rows.push({ kind, entries: held, chain: columns.chain[held[0] ?? 0] ?? 0, depth });
  };
  const flush = () => {
    if (message.length > 0) put('message', message);
    if (records.length > 0) {
      put('records', records);
      if (open.has(records[0] ?? -1)) for (const entry of records) put('raw', [entry]);
    }
    if (lines.length > 0) put('lines', lines);
    message = [];
    records = [];
    lines = [];
  };
  for (const entry of entries) {
    const kind = kindOf(outline, entry);
    switch (kind) {
      case 'blank':
        // Text files show their blank lines.
        if (lines.length > 0) lines.push(entry);
        break;
      case 'text':
        if (lines.length === 0 || lines.length >= LINES_A_ROW) flush();
        lines.push(entry);
        break;
      case 'record':
        records.push(entry);
        break;
      case 'raw':
        flush();
        put('raw', [entry]);
        break;
      case 'compaction':
        flush();
        put('boundary', [entry]);
        break;
      case 'tool_result':
        // Shown at its call.
        if (columns.pair[entry] != null) break;
        flush();
        put('message', [entry]);
        break;
      default: {
        const call = columns.call[entry] ?? null;
        const last = message.at(-1);
        const continues =
          call !== null &&
          last !== undefined &&
          message.length < ENTRIES_A_ROW &&
          OF_A_CALL.has(kind) &&
          columns.call[last] === call;
        if (!continues) flush();
        message.push(entry);
      }
    }
  }
  flush();
}

/** The row that shows an entry: its own, its call's, or its fold. */
export function rowOfEntry(rows: readonly ConversationRow[], outline: OutlineColumns, entry: number): number {
  const own = indexOfEntry(rows, entry);
  if (own !== -1) return own;
  const pair = outline.columns.pair[entry];
  const paired = pair == null ? -1 : indexOfEntry(rows, pair);
  if (paired !== -1) return paired;
  // A blank line has no row: use the row before it.
  const after = rows.findIndex((row) => (row.entries[0] ?? 0) > entry);
  return Math.max(0, after === -1 ? rows.length - 1 : after - 1);
}

function indexOfEntry(rows: readonly ConversationRow[], entry: number): number {
  // An open fold and its rows hold the same entries: prefer the inner row.
  return rows.findLastIndex(
    (row) =>
      (row.entries[0] ?? 0) <= entry && (row.entries.at(-1) ?? 0) >= entry && row.entries.includes(entry),
  );
}

/** The fold that hides an entry; null: none. */
export function foldOfEntry(rows: readonly ConversationRow[], entry: number): number | null {
  const row = rows[indexOfEntry(rows, entry)];
  return row !== undefined && (row.kind === 'side' || row.kind === 'records')
    ? (row.entries[0] ?? null)
    : null;
}

/** The first entry on a line of the file; null: none. */
export function entryOfLine({ columns: { line } }: OutlineColumns, wanted: number): number | null {
  let low = 0;
  let high = line.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((line[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low < line.length ? low : null;
}

const PADDING_PX = 19;
const LINE_PX = 20;
const CHARACTERS_A_LINE = 100;
const MOST_LINES = 12;

/** Estimated height of a row before its content is loaded. */
export function estimateRow(row: ConversationRow, outline: OutlineColumns): number {
  if (row.kind === 'boundary') return 46;
  if (row.kind === 'side' || row.kind === 'records') return 30;
  if (row.kind === 'lines') return 8 + row.entries.length * LINE_PX;
  let lines = 0;
  for (const entry of row.entries) {
    const kind = kindOf(outline, entry);
    if (kind === 'thinking' || kind === 'tool_call') lines += 1.3;
    else {
      // Each line has about 600 bytes of ids and times.
      const characters = Math.max(0, (outline.columns.bytes[entry] ?? 0) - 600);
      lines += Math.min(MOST_LINES, 1 + characters / CHARACTERS_A_LINE);
    }
  }
  return Math.round(Math.max(PADDING_PX + 2 * LINE_PX, PADDING_PX + lines * LINE_PX));
}

const ROW_KINDS: readonly ConversationRow['kind'][] = [
  'message',
  'boundary',
  'records',
  'side',
  'raw',
  'lines',
];

/** Keys and estimated heights of all rows, which the virtual list reads often. */
export function measureRows(
  rows: readonly ConversationRow[],
  outline: OutlineColumns,
): { keys: Float64Array; heights: Uint16Array } {
  const keys = new Float64Array(rows.length);
  const heights = new Uint16Array(rows.length);
  rows.forEach((row, index) => {
    keys[index] = ((row.entries[0] ?? 0) * ROW_KINDS.length + ROW_KINDS.indexOf(row.kind)) * 2 + row.depth;
    heights[index] = Math.min(65_535, estimateRow(row, outline));
  });
  return { keys, heights };
}

/** Rows shown at once: browsers limit the height of an element to about 17 million pixels. */
export const ROWS_A_PART = 30_000;

export const partOfRow = (row: number) => Math.floor(row / ROWS_A_PART);
