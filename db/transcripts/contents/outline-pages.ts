/** The stored outline: pages of entries, so that a range of messages needs one or two of them. */
import type { BookedCall } from '../../../core/transcript/call-book';
import { emptyColumns, type Outline, type OutlineColumns } from '../../../core/transcript/outline';

export const PAGE_ENTRIES = 1_024;

export interface OutlinePage {
  columns: OutlineColumns;
  /** Byte after the last entry. */
  end: number;
  /** The calls of the page's entries, by their number. */
  calls: [number: number, call: BookedCall][];
}

export function* cutPages(outline: Outline): Generator<OutlinePage> {
  const { columns, calls, entries, bytes } = outline;
  for (let first = 0; first < entries; first += PAGE_ENTRIES) {
    const last = Math.min(entries, first + PAGE_ENTRIES);
    const part = cutColumns(columns, first, last);
    const named = new Set<number>();
    for (const call of [...part.call, ...part.standing]) if (call !== null) named.add(call);
    yield {
      columns: part,
      end: columns.from[last] ?? bytes,
      calls: [...named]
        .sort((a, b) => a - b)
        .flatMap((number) => {
          const call = calls[number];
          return call === undefined ? [] : [[number, call] as [number, BookedCall]];
        }),
    };
  }
}

const COLUMNS = Object.keys(emptyColumns()) as (keyof OutlineColumns)[];

function cutColumns(columns: OutlineColumns, first: number, last: number): OutlineColumns {
  const part = COLUMNS.map((name) => [name, columns[name].slice(first, last)]);
  return Object.fromEntries(part) as unknown as OutlineColumns;
}

/** Consecutive pages as one. */
export function joinPages(pages: readonly OutlinePage[]): OutlinePage {
  const columns = emptyColumns();
  const calls = new Map<number, BookedCall>();
  for (const page of pages) {
    for (const name of COLUMNS) append<unknown>(columns[name], page.columns[name]);
    for (const [number, call] of page.calls) calls.set(number, call);
  }
  return { columns, end: pages.at(-1)?.end ?? 0, calls: [...calls].sort(([a], [b]) => a - b) };
}

function append<T>(to: T[], from: readonly T[]): void {
  for (const value of from) to.push(value);
}

export const isoOfSeconds = (at: number | null): string | null =>
  at === null ? null : new Date(Math.round(at * 1_000)).toISOString();
