/** The cost of a compaction: tokens dropped, duration, and tokens read and written for it. Pure. */
import type { EventDetails } from '@/core/api/responses';
import type { SessionEvent } from '@/core/events/event';
import { compactionSizes } from '../../events/describe-event';

export interface CompactionCost {
  /** Tokens dropped, and their share of what was in use; null: one side is unknown. */
  dropped: { tokens: number; share: number } | null;
  /** Null: unknown. */
  duration: { ms: number; isStated: boolean } | null;
  /** Tokens that the first turn after it sent uncached. Null: unknown. */
  reread: number | null;
  /** The call that wrote the summary, tokens; `unreported`: no source reported it. Null: not read yet. */
  summary: SummaryCall | 'unreported' | null;
  /** What the client measured before it, where the last turn had read another size. Null: they agree, or one is not known. */
  counts: { stated: number; read: number } | null;
}

export interface SummaryCall {
  /** Sent, all of it; of that from the cache. */
  sent: number;
  cached: number;
  written: number;
  /** Read from the client's own file, which often has only the first output counts. */
  isFromFile: boolean;
}

type Calls = NonNullable<EventDetails['calls']>;
type Call = Pick<NonNullable<Calls['before']>, 'at' | 'usage' | 'chain'>;

/** @param calls around the event, from `/events/{id}`; null: not read yet */
export function compactionCost(
  { detail, at, chain }: SessionEvent<'compaction'>,
  calls: { before: Call | null; after: Call | null; summary: Call | null } | null,
): CompactionCost {
  const { before, freed } = compactionSizes(detail);
  const usage = calls?.after?.usage ?? null;
  const { preTokens: stated, lastReading: read } = detail;
  return {
    dropped:
      freed === null || before === null || before <= 0 ? null : { tokens: freed, share: freed / before },
    duration: durationOf(detail.durationMs, at, calls?.before?.at),
    reread: usage === null ? null : usage.cacheCreation + usage.input,
    summary: calls === null ? null : summaryOf(calls.summary, chain),
    counts: stated !== undefined && read !== null && stated !== read ? { stated, read } : null,
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
function durationOf(
  stated: number | undefined,
  at: string,
  before: string | undefined,
): CompactionCost['duration'] {
  if (stated !== undefined) return { ms: stated, isStated: true };
  const ms = before === undefined ? Number.NaN : Date.parse(at) - Date.parse(before);
  return ms >= 0 ? { ms, isStated: false } : null;
}
