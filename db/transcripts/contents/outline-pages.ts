/** The outline at rest: pages of entries, so that a window of messages reads one or two of them. */
import type { BookedCall } from '../../../core/transcript/call-book';
import { emptyColumns, type Outline, type OutlineColumns } from '../../../core/transcript/outline';

export const PAGE_ENTRIES = 1_024;

export interface OutlinePage {
  columns: OutlineColumns;
  /** Byte after the last entry. */
  end: number;
  /** The calls that entries of the page name, by their number. */
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

export function cutColumns(columns: OutlineColumns, first: number, last: number): OutlineColumns {
  return {
    kind: columns.kind.slice(first, last),
    line: columns.line.slice(first, last),
    from: columns.from.slice(first, last),
    at: columns.at.slice(first, last),
    chain: columns.chain.slice(first, last),
    call: columns.call.slice(first, last),
    standing: columns.standing.slice(first, last),
    pair: columns.pair.slice(first, last),
  };
}

/** Pages that follow one another, as one. */
export function joinPages(pages: readonly OutlinePage[]): OutlinePage {
  const columns = emptyColumns();
  const calls = new Map<number, BookedCall>();
  for (const page of pages) {
    append(columns.kind, page.columns.kind);
    append(columns.line, page.columns.line);
    append(columns.from, page.columns.from);
    append(columns.at, page.columns.at);
    append(columns.chain, page.columns.chain);
    append(columns.call, page.columns.call);
    append(columns.standing, page.columns.standing);
    append(columns.pair, page.columns.pair);
    for (const [number, call] of page.calls) calls.set(number, call);
  }
  return { columns, end: pages.at(-1)?.end ?? 0, calls: [...calls].sort(([a], [b]) => a - b) };
}

function append<T>(to: T[], from: readonly T[]): void {
  for (const value of from) to.push(value);
}
