/**
 * Rows of a conversation, from its outline: entries of one call share a row, results are with their calls,
 * sub-agents are folded. Client records, such as progress and hook lines, and blank lines have a row only in the raw
 * view, or if a link leads to them.
 */
import { ENTRY_KINDS, type EntryKind } from '@/core/agents/entry';
import type { TranscriptOutline } from '@/core/api/transcript-contents';

type RowKind = 'message' | 'boundary' | 'side' | 'raw' | 'lines';

export interface ConversationRow {
  /** Unique. If the row is a fold, the key is also the name of the fold. */
  key: string;
  kind: RowKind;
  first: number;
  /** Ascending, starting with `first`. */
  entries: readonly number[];
  /** In the fold of a sub-agent. */
  isInner: boolean;
  /** Estimated height before its content is loaded, pixels. */
  px: number;
}

/** Lines of a text file per row. */
const LINES_A_ROW = 40;
/** A call with more entries is split into several rows. */
const ENTRIES_A_ROW = 60;
/** Kinds of entries that share a row if they belong to the same call. */
const OF_A_CALL: ReadonlySet<EntryKind> = new Set(['assistant', 'thinking', 'tool_call']);
const LINE_PX = 20;

export function kindOf({ columns }: TranscriptOutline, entry: number): EntryKind {
  return ENTRY_KINDS[columns.kind[entry] ?? -1] ?? 'raw';
}

function makeRow(
  outline: TranscriptOutline,
  kind: RowKind,
  entries: readonly number[],
  isInner = false,
): ConversationRow {
  const first = entries[0] ?? 0;
  return { key: `${kind} ${first}`, kind, first, entries, isInner, px: estimatePx(outline, kind, entries) };
}

function estimatePx(outline: TranscriptOutline, kind: RowKind, entries: readonly number[]): number {
  if (kind === 'boundary') return 46;
  if (kind === 'side') return 30;
  if (kind === 'lines') return 8 + entries.length * LINE_PX;
  const lines = entries.reduce((sum, entry) => {
    if (/^(thinking|tool_call)$/.test(kindOf(outline, entry))) return sum + 1.3;
    // Each line has about 600 bytes of ids and times; a long text is clipped.
    const characters = Math.max(0, (outline.columns.bytes[entry] ?? 0) - 600);
    return sum + Math.min(12, 1 + characters / 100);
  }, 0);
  return Math.round(19 + Math.max(2, lines) * LINE_PX);
}

/** One row per entry, in file order. */
export function prepareRawRows(outline: TranscriptOutline): ConversationRow[] {
  return Array.from({ length: outline.entries }, (_, entry) => makeRow(outline, 'raw', [entry]));
}

/**
 * Concurrent sub-agents each get a fold, in order of their start.
 * @param open keys of open folds of sub-agents, and entries of records to show
 */
export function prepareRows(outline: TranscriptOutline, open: ReadonlySet<string>): ConversationRow[] {
  const rows: ConversationRow[] = [];
  const home = homeChain(outline);
  /** Entries since the file last changed between conversation and sub-agents, by chain; 0: the conversation. */
  const stretch = new Map<number, number[]>();
  const flush = () => {
    for (const [chain, entries] of stretch) {
      if (chain !== 0) rows.push(makeRow(outline, 'side', entries));
      if (chain === 0 || open.has(rows.at(-1)?.key ?? '')) {
        addStretch(rows, outline, entries, chain !== 0, open);
      }
    }
    stretch.clear();
  };
  for (let entry = 0; entry < outline.entries; entry += 1) {
    const own = outline.columns.chain[entry] ?? 0;
    const chain = own === home ? 0 : own;
    if (stretch.size > 0 && stretch.has(0) !== (chain === 0)) flush();
    const entries = stretch.get(chain) ?? [];
    entries.push(entry);
    stretch.set(chain, entries);
  }
  flush();
  return rows;
}

/** The chain that is not folded: main, or the chain of a sub-agent's own file. */
function homeChain(outline: TranscriptOutline): number {
  for (let entry = 0; entry < outline.entries; entry += 1) {
    if (outline.columns.chain[entry] === 0 && !/^(record|blank)$/.test(kindOf(outline, entry))) return 0;
  }
  const sizes = outline.chains.map(({ entries }, chain) => (chain === 0 ? 0 : entries));
  return Math.max(0, sizes.indexOf(Math.max(...sizes)));
}

function addStretch(
  rows: ConversationRow[],
  outline: TranscriptOutline,
  entries: readonly number[],
  isInner: boolean,
  open: ReadonlySet<string>,
): void {
  const { call: calls, pair } = outline.columns;
  let filling: Partial<Record<'message' | 'lines', number[]>> = {};
  const put = (kind: RowKind, held: readonly number[]) => rows.push(makeRow(outline, kind, held, isInner));
  const flush = () => {
    const { message, lines } = filling;
    if (message) put('message', message);
    if (lines) put('lines', lines);
    filling = {};
  };
  const fill = (kind: keyof typeof filling, entry: number) => {
    filling[kind] ??= [];
    filling[kind].push(entry);
  };
  for (const entry of entries) {
    const kind = kindOf(outline, entry);
    if (kind === 'record' && !open.has(String(entry))) continue;
    // Text files show their blank lines.
    if (kind === 'blank') filling.lines?.push(entry);
    else if (kind === 'text') {
      if ((filling.lines?.length ?? LINES_A_ROW) >= LINES_A_ROW) flush();
      fill('lines', entry);
    } else if (kind === 'raw' || kind === 'record' || kind === 'compaction') {
      flush();
      put(kind === 'compaction' ? 'boundary' : 'raw', [entry]);
    } else if (kind !== 'tool_result' || pair[entry] == null) {
      // A result with a pair is shown at its call.
      const last = filling.message?.at(-1);
      const continues =
        last !== undefined &&
        calls[entry] != null &&
        calls[entry] === calls[last] &&
        OF_A_CALL.has(kind) &&
        (filling.message?.length ?? 0) < ENTRIES_A_ROW;
      if (!continues) flush();
      fill('message', entry);
    }
  }
  flush();
}

/** The row that shows an entry: its own row, the row of its call, or its fold. */
export function rowOfEntry(
  rows: readonly ConversationRow[],
  { columns }: TranscriptOutline,
  entry: number,
): number {
  // An open fold and its rows have the same entries. The inner row is preferred.
  const indexOf = (wanted: number) =>
    rows.findLastIndex(
      ({ first, entries }) => first <= wanted && (entries.at(-1) ?? 0) >= wanted && entries.includes(wanted),
    );
  const own = indexOf(entry);
  if (own !== -1) return own;
  const paired = indexOf(columns.pair[entry] ?? -1);
  if (paired !== -1) return paired;
  // A blank line has no row: use the row before it.
  const after = rows.findIndex(({ first }) => first > entry);
  return Math.max(0, after === -1 ? rows.length - 1 : after - 1);
}

/** Names of the folds that hide an entry: sub-agent, tool call, thinking, and the rest of a long text. */
export function foldsOf(
  rows: readonly ConversationRow[],
  outline: TranscriptOutline,
  entry: number,
): string[] {
  const pair = kindOf(outline, entry) === 'tool_result' ? outline.columns.pair[entry] : null;
  const row = rows[rowOfEntry(rows, outline, entry)];
  return [row?.key ?? '', String(entry), `all ${entry}`, String(pair ?? entry)];
}
