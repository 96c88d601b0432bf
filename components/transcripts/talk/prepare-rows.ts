/**
 * A transcript as rows of a conversation, from its outline alone: what came of one call stands together, results
 * stand with their calls, the client's bookkeeping and sub-agents are folded. No entry is lost: each but blank lines
 * is in a row, and blank ones are in the raw view.
 */
import type { TranscriptOutline } from '@/core/api/transcript-contents';
import { ENTRY_KINDS, type EntryKind } from '@/core/transcript/entry-kinds';

export interface TalkRow {
  kind: 'message' | 'boundary' | 'records' | 'side' | 'raw' | 'lines';
  /** Entries in it, ascending; never empty. The first one names the row. */
  entries: readonly number[];
  /** Index into the outline's chains. */
  chain: number;
  /** Rows of a fold stand a step in. */
  depth: 0 | 1;
}

/** Lines of a text file that stand in one row. */
const LINES_A_ROW = 40;
/** More that came of one call, as a file may claim, is several rows. */
const ENTRIES_A_ROW = 60;
/** Kinds that stand together when they came of the same call. */
const OF_A_CALL: ReadonlySet<EntryKind> = new Set(['assistant', 'thinking', 'tool_call']);

export type OutlineColumns = Pick<TranscriptOutline, 'columns'>;

export function kindOf({ columns }: OutlineColumns, entry: number): EntryKind {
  return ENTRY_KINDS[columns.kind[entry] ?? -1] ?? 'raw';
}

/** Rows with no fold open, by their outline: of a long one they are made before the page is drawn with them. */
const closedRows = new WeakMap<TranscriptOutline, TalkRow[]>();

/** Makes the rows that are drawn first, with a moment for other work wherever it yields. */
export function* warmRows(outline: TranscriptOutline): Generator<undefined, void> {
  if (closedRows.has(outline)) return;
  closedRows.set(outline, yield* makeTalkRows(outline, new Set()));
}

/** @param open first entries of the folds that are open: runs of records, sub-agents */
export function prepareTalkRows(outline: TranscriptOutline, open: ReadonlySet<number>): readonly TalkRow[] {
  const known = open.size === 0 ? closedRows.get(outline) : undefined;
  if (known !== undefined) return known;
  const steps = makeTalkRows(outline, open);
  let step = steps.next();
  while (!step.done) step = steps.next();
  if (open.size === 0) closedRows.set(outline, step.value);
  return step.value;
}

function* makeTalkRows(
  outline: TranscriptOutline,
  open: ReadonlySet<number>,
): Generator<undefined, TalkRow[]> {
  const rows: TalkRow[] = [];
  const count = outline.entries;
  const home = homeChain(outline);
  const isHome = (chain: number) => chain === 0 || chain === home;
  for (let entry = 0; entry < count; ) {
    if (isHome(outline.columns.chain[entry] ?? 0)) {
      const end = endOfStretch(outline, entry, isHome);
      yield* addStretch(rows, outline, range(entry, end), 0, open);
      entry = end;
      continue;
    }
    const end = endOfStretch(outline, entry, (chain) => !isHome(chain));
    yield* addSubAgents(rows, outline, entry, end, open);
    entry = end;
  }
  return rows;
}

/** The chain that is not folded: main, or in a sub-agent's own file, where main says nothing, the agent's. */
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

/** Every entry a row of its own, as it stands in the file. */
export function prepareRawRows(outline: TranscriptOutline): TalkRow[] {
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

/** Sub-agents may write at the same time: each has a fold of its own, in the order in which they begin. */
function* addSubAgents(
  rows: TalkRow[],
  outline: TranscriptOutline,
  from: number,
  to: number,
  open: ReadonlySet<number>,
): Generator<undefined, void> {
  const byChain = new Map<number, number[]>();
  for (let entry = from; entry < to; entry += 1) {
    const chain = outline.columns.chain[entry] ?? 0;
    const entries = byChain.get(chain);
    if (entries === undefined) byChain.set(chain, [entry]);
    else entries.push(entry);
  }
  for (const [chain, entries] of byChain) {
    rows.push({ kind: 'side', entries, chain, depth: 0 });
    if (open.has(entries[0] ?? -1)) yield* addStretch(rows, outline, entries, 1, open);
  }
}

const ENTRIES_A_STEP = 4_096;

function* addStretch(
  rows: TalkRow[],
  outline: TranscriptOutline,
  entries: readonly number[],
  depth: TalkRow['depth'],
  open: ReadonlySet<number>,
): Generator<undefined, void> {
  const { columns } = outline;
  let message: number[] = [];
  let records: number[] = [];
  let lines: number[] = [];
  const put = (kind: TalkRow['kind'], held: readonly number[]) => {
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
  for (const [place, entry] of entries.entries()) {
    if (place % ENTRIES_A_STEP === 0) yield;
    const kind = kindOf(outline, entry);
    switch (kind) {
      case 'blank':
        // A blank line of a text file is a line of it.
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
        // It stands with its call.
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

/** The row that shows an entry: its own, its call's, or the fold it is in. */
export function rowOfEntry(rows: readonly TalkRow[], outline: OutlineColumns, entry: number): number {
  const own = indexOfEntry(rows, entry);
  if (own !== -1) return own;
  const pair = outline.columns.pair[entry];
  const paired = pair == null ? -1 : indexOfEntry(rows, pair);
  if (paired !== -1) return paired;
  // A blank line, or one that stands nowhere: what stands before it.
  const after = rows.findIndex((row) => (row.entries[0] ?? 0) > entry);
  return Math.max(0, after === -1 ? rows.length - 1 : after - 1);
}

function indexOfEntry(rows: readonly TalkRow[], entry: number): number {
  // An open fold and what is in it hold the same entries: the inner row is the place.
  return rows.findLastIndex(
    (row) =>
      (row.entries[0] ?? 0) <= entry && (row.entries.at(-1) ?? 0) >= entry && row.entries.includes(entry),
  );
}

/** The fold that must be open for an entry to be seen; null: none. */
export function foldOfEntry(rows: readonly TalkRow[], entry: number): number | null {
  const row = rows[indexOfEntry(rows, entry)];
  return row !== undefined && (row.kind === 'side' || row.kind === 'records')
    ? (row.entries[0] ?? null)
    : null;
}

/** The first entry on a line of the file; null: there is none. */
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

/** About how high a row will be: what it holds is not read yet. */
export function estimateRow(row: TalkRow, outline: OutlineColumns): number {
  if (row.kind === 'boundary') return 46;
  if (row.kind === 'side' || row.kind === 'records') return 30;
  if (row.kind === 'lines') return 8 + row.entries.length * LINE_PX;
  let lines = 0;
  for (const entry of row.entries) {
    const kind = kindOf(outline, entry);
    if (kind === 'thinking' || kind === 'tool_call') lines += 1.3;
    else {
      // An envelope of ids and times comes with each line.
      const characters = Math.max(0, (outline.columns.bytes[entry] ?? 0) - 600);
      lines += Math.min(MOST_LINES, 1 + characters / CHARACTERS_A_LINE);
    }
  }
  return Math.round(Math.max(PADDING_PX + 2 * LINE_PX, PADDING_PX + lines * LINE_PX));
}

const ROW_KINDS: readonly TalkRow['kind'][] = ['message', 'boundary', 'records', 'side', 'raw', 'lines'];

/** Of tens of thousands of rows what the list asks for again and again: a name each, and about how high it will be. */
export function measureRows(
  rows: readonly TalkRow[],
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

/** Rows shown at once: no browser makes an element higher than some 17 million pixels. */
export const ROWS_A_PART = 30_000;

export const partOfRow = (row: number) => Math.floor(row / ROWS_A_PART);
