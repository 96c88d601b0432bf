/** The stored outline: pages of entries, so that a range of messages needs one or two pages. */
import { deflateSync, inflateSync } from 'node:zlib';
import { ENTRY_KINDS } from '../../../core/agents/entry';
import type { TranscriptCompaction, TranscriptOutline } from '../../../core/api/transcript-contents';
import type { BookedCall } from '../../../core/transcript/call-book';
import {
  emptyColumns,
  type Outline,
  type OutlineChain,
  type OutlineColumns,
  type OutlineCompaction,
} from '../../../core/transcript/outline';
import { pairOfEntry } from '../../../core/transcript/pairs';

export const PAGE_ENTRIES = 1_024;
const MAX_BYTES = 512 * 1024 * 1024;

/** Compressed JSON: text shrinks to a fourth, columns of numbers to less. */
export function packJson(value: unknown): Buffer {
  return deflateSync(JSON.stringify(value), { level: 5 });
}

export function unpackJson<T>(data: Uint8Array): T {
  return JSON.parse(inflateSync(data, { maxOutputLength: MAX_BYTES }).toString('utf8')) as T;
}

export interface OutlinePage {
  columns: OutlineColumns;
  end: number;
  calls: [number: number, call: BookedCall][];
}

export function packPages({ columns, calls, entries, bytes }: Outline): Buffer[] {
  const pages: Buffer[] = [];
  for (let first = 0; first < entries; first += PAGE_ENTRIES) {
    const last = Math.min(entries, first + PAGE_ENTRIES);
    const part = cutColumns(columns, first, last);
    const named = new Set([...part.call, ...part.standing]);
    const end = columns.from[last] ?? bytes;
    pages.push(packJson({ columns: part, end, calls: [...calls.entries()].filter(([n]) => named.has(n)) }));
  }
  return pages;
}

const COLUMNS = Object.keys(emptyColumns()) as (keyof OutlineColumns)[];

function cutColumns<T extends object>(columns: T, first: number, last: number): T {
  const lists = Object.entries(columns as Readonly<Record<string, readonly unknown[]>>);
  const parts = lists.map(([name, column]) => [name, column.slice(first, last)]);
  return Object.fromEntries(parts) as T;
}

export function joinPages(packed: readonly Uint8Array[]): OutlinePage {
  const columns = emptyColumns();
  const calls = new Map<number, BookedCall>();
  let end = 0;
  for (const data of packed) {
    const page = unpackJson<OutlinePage>(data);
    for (const name of COLUMNS) append<unknown>(columns[name], page.columns[name]);
    for (const [number, call] of page.calls) calls.set(number, call);
    end = page.end;
  }
  return { columns, end, calls: [...calls].sort(([a], [b]) => a - b) };
}

function append<T>(to: T[], from: readonly T[]): void {
  for (const value of from) to.push(value);
}

export interface OutlineAsked {
  pages: readonly Uint8Array[];
  chains: OutlineChain[];
  compactions: readonly OutlineCompaction[];
  head: Omit<TranscriptOutline, 'columns' | 'calls' | 'chains' | 'compactions'>;
  count?: number | undefined;
}

export function shapeOutline({ pages, chains, compactions, head, count }: OutlineAsked): TranscriptOutline {
  const { columns, end, calls } = joinPages(pages);
  const { kind, line, at, chain, call } = columns;
  const shaped = {
    kind,
    line,
    bytes: columns.from.map((from, i) => (columns.from[i + 1] ?? end) - from),
    at,
    chain,
    call,
    pair: columns.pair.map((pair, i) => pairOfEntry(ENTRY_KINDS[kind[i] ?? -1], pair)),
  };
  const cut = count === undefined ? shaped : cutColumns(shaped, 0, count);
  const lastCall = cut.call.reduce<number>((most, number) => Math.max(most, number ?? -1), -1);
  return {
    ...head,
    columns: cut,
    calls: sparse(count === undefined ? calls : calls.filter(([number]) => number <= lastCall)),
    chains,
    compactions: compactions.map(toCompaction),
  };
}

/** A list indexed by call number. Numbers without a call get an empty call. */
function sparse(calls: readonly [number, BookedCall][]): TranscriptOutline['calls'] {
  const list: TranscriptOutline['calls'] = [];
  for (const [number, { isSide: _, ...call }] of calls) {
    while (list.length < number) list.push({ ...NO_CALL });
    list.push(call);
  }
  return list;
}

const NO_CALL = {
  entry: 0,
  chain: 0,
  model: null,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheCreation: 0,
  contextTokens: 0,
};

export function toCompaction({ from: _, at, ...rest }: OutlineCompaction): TranscriptCompaction {
  return { ...rest, at: isoOfSeconds(at) };
}

export const isoOfSeconds = (at: number | null): string | null =>
  at === null ? null : new Date(Math.round(at * 1_000)).toISOString();
