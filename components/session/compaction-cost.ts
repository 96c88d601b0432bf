/** What a compaction cost: what it dropped, how long it took, and what was read and written for it. Pure. */
import type { EventDetails } from '@/core/api/responses';
import type { SessionEvent } from '@/core/api/session';
import { count, freedTokens } from './describe-event';

export interface CompactionCost {
  /** Tokens dropped, and their share of what was in use; null: one side is not known. */
  dropped: { tokens: number; share: number } | null;
  /** Null: neither stated nor to be told from the turns around it. */
  duration: { ms: number; isStated: boolean } | null;
  /** Tokens that the first turn after it did not find in the cache: written to it anew, or sent uncached. Null: not known. */
  reread: number | null;
  /** The call that wrote the summary, tokens; `unreported`: no source told of it. Null: not looked up yet. */
  summary: SummaryCall | 'unreported' | null;
  /** What the client measured before it, where the last turn had read another size. Null: they agree, or one is not known. */
  counts: { stated: number; read: number } | null;
}

export interface SummaryCall {
  /** Sent, all of it; of that from the cache. */
  sent: number;
  cached: number;
  written: number;
  /** Told by the file that the client kept of it, whose output counts are often those of the call's first moment. */
  isFromFile: boolean;
}

type Calls = NonNullable<EventDetails['calls']>;
type Call = Pick<NonNullable<Calls['before']>, 'at' | 'usage' | 'chain'>;

/** @param calls around the event, as `/events/{id}` tells them; null: not read yet */
export function compactionCost(
  { detail, at, chain }: SessionEvent,
  calls: { before: Call | null; after: Call | null; summary: Call | null } | null,
): CompactionCost {
  const figures = freedTokens(detail);
  const usage = calls?.after?.usage ?? null;
  const stated = count(detail.preTokens);
  const read = count(detail.lastReading);
  return {
    dropped:
      figures === null || figures.before <= 0
        ? null
        : { tokens: figures.freed, share: figures.freed / figures.before },
    duration: durationOf(detail.durationMs, at, calls?.before?.at),
    reread: usage === null ? null : usage.cacheCreation + usage.input,
    summary: calls === null ? null : summaryOf(calls.summary, chain),
    counts: stated !== null && read !== null && stated !== read ? { stated, read } : null,
  };
}

function summaryOf(call: Call | null, chain: string): CompactionCost['summary'] {
  if (call === null || call.usage === null) return 'unreported';
  const { input, cacheRead, cacheCreation, output } = call.usage;
  return {
    sent: input + cacheRead + cacheCreation,
    cached: cacheRead,
    written: output,
    isFromFile: call.chain !== chain,
  };
}

/** As the client states it; else the time since the last turn before it, in which it must lie. */
function durationOf(stated: unknown, at: string, before: string | undefined): CompactionCost['duration'] {
  if (typeof stated === 'number' && Number.isFinite(stated) && stated >= 0)
    return { ms: stated, isStated: true };
  const ms = before === undefined ? Number.NaN : Date.parse(at) - Date.parse(before);
  return ms >= 0 ? { ms, isStated: false } : null;
}
