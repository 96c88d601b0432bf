/**
 * Size of the context beside each message. Tool results and messages of the person belong to the row that shows them,
 * but only the next call's input counts them: the last row before a call has the size of that input.
 */
import type { EntryKind } from '@/core/agents/entry';
import type { TranscriptOutline } from '@/core/api/transcript-contents';
import { kindOf } from './prepare-rows';

/** Kinds of entries that the next call sends, besides results at their calls. */
const SENT: ReadonlySet<EntryKind> = new Set(['user', 'summary', 'tool_result']);

export interface RowSize {
  tokens: number;
  /** Tokens that the row added. Null: the row starts the context. */
  change: number | null;
  /** Index of the call of the row; null: a message to the model. */
  call: number | null;
  /** The size includes what follows the row's call, as sent with the next call. */
  isSent: boolean;
}

/** By the first entry of the row. */
export function prepareSizes(outline: TranscriptOutline): ReadonlyMap<number, RowSize> {
  const { columns, calls, entries } = outline;
  const sizes = new Map<number, RowSize>();
  /** The last row of each chain, and the last size of its context. */
  const last = new Map<number, { row: number; tokens: number | null }>();
  for (let entry = 0; entry < entries; entry += 1) {
    const chain = columns.chain[entry] ?? 0;
    const kind = kindOf(outline, entry);
    if (kind === 'compaction') last.delete(chain);
    const before = last.get(chain);
    const index = columns.call[entry] ?? null;
    const call = index === null ? undefined : calls[index];
    if (call === undefined) {
      if (SENT.has(kind) && columns.pair[entry] == null)
        last.set(chain, { row: entry, tokens: before?.tokens ?? null });
      continue;
    }
    // A call without usage has no size.
    if (call.entry !== entry || call.contextTokens === 0) continue;
    const tokens = call.contextTokens - call.output;
    if (before !== undefined) {
      const own = sizes.get(before.row) ?? { call: null, change: 0 };
      const change = before.tokens === null ? null : (own.change ?? 0) + tokens - before.tokens;
      sizes.set(before.row, { tokens, change, call: own.call, isSent: true });
    }
    sizes.set(entry, { tokens: call.contextTokens, change: call.output, call: index, isSent: false });
    last.set(chain, { row: entry, tokens: call.contextTokens });
  }
  return sizes;
}
