/** The outline as the API gives it, from its pages. */
import type { TranscriptCompaction, TranscriptOutline } from '../../../core/api/transcript-contents';
import type { BookedCall } from '../../../core/transcript/call-book';
import { ENTRY_KINDS } from '../../../core/transcript/entry-kinds';
import type { OutlineChain, OutlineCompaction } from '../../../core/transcript/outline';
import { pairOfEntry } from '../../../core/transcript/pairs';
import { isoOfSeconds } from './iso-of-seconds';
import { joinPages, type OutlinePage } from './outline-pages';
import { unpackJson } from './pack-json';

export interface OutlineAsked {
  pages: readonly Uint8Array[];
  chains: OutlineChain[];
  compactions: readonly OutlineCompaction[];
  head: Omit<TranscriptOutline, 'columns' | 'calls' | 'chains' | 'compactions'>;
}

export function shapeOutline({ pages, chains, compactions, head }: OutlineAsked): TranscriptOutline {
  return {
    ...head,
    ...shapePages(pages.map((page) => unpackJson<OutlinePage>(page))),
    chains,
    compactions: compactions.map(toCompaction),
  };
}

/** Entries and calls of pages that follow one another. */
export function shapePages(pages: readonly OutlinePage[]): Pick<TranscriptOutline, 'columns' | 'calls'> {
  const { columns, end, calls } = joinPages(pages);
  return {
    columns: {
      kind: columns.kind,
      line: columns.line,
      bytes: columns.from.map((from, i) => (columns.from[i + 1] ?? end) - from),
      at: columns.at,
      chain: columns.chain,
      call: columns.call,
      pair: columns.pair.map((pair, i) => pairOfEntry(ENTRY_KINDS[columns.kind[i] ?? -1], pair)),
    },
    calls: sparse(calls),
  };
}

/** Numbers of calls are places in this list: one that no page names (its entry was none of a page's) stays empty. */
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
