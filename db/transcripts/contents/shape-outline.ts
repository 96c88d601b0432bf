/** The outline of the API, from its stored pages. */

import { ENTRY_KINDS } from '../../../core/agents/entry';
import type { TranscriptCompaction, TranscriptOutline } from '../../../core/api/transcript-contents';
import type { BookedCall } from '../../../core/transcript/call-book';
import type { OutlineChain, OutlineCompaction } from '../../../core/transcript/outline';
import { pairOfEntry } from '../../../core/transcript/pairs';
import { isoOfSeconds, joinPages, type OutlinePage } from './outline-pages';
import { unpackJson } from './pack-json';

export interface OutlineAsked {
  pages: readonly Uint8Array[];
  chains: OutlineChain[];
  compactions: readonly OutlineCompaction[];
  head: Omit<TranscriptOutline, 'columns' | 'calls' | 'chains' | 'compactions'>;
  /** Only the first entries and their calls; absent: all. */
  count?: number | undefined;
}

export function shapeOutline({ pages, chains, compactions, head, count }: OutlineAsked): TranscriptOutline {
  const body = shapePages(pages.map((page) => unpackJson<OutlinePage>(page)));
  return {
    ...head,
    ...(count === undefined ? body : cutBody(body, count)),
    chains,
    compactions: compactions.map(toCompaction),
  };
}

type Body = Pick<TranscriptOutline, 'columns' | 'calls'>;

/** Cut to the first entries and their calls; call numbers are indexes. */
function cutBody({ columns, calls }: Body, count: number): Body {
  const call = columns.call.slice(0, count);
  return {
    columns: {
      kind: columns.kind.slice(0, count),
      line: columns.line.slice(0, count),
      bytes: columns.bytes.slice(0, count),
      at: columns.at.slice(0, count),
      chain: columns.chain.slice(0, count),
      call,
      pair: columns.pair.slice(0, count),
    },
    calls: calls.slice(
      0,
      call.reduce<number>((most, number) => Math.max(most, (number ?? -1) + 1), 0),
    ),
  };
}

/** Entries and calls of consecutive pages. */
function shapePages(pages: readonly OutlinePage[]): Body {
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

/** Call numbers are indexes; numbers without a call get an empty one. */
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
