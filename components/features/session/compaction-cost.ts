/** The cost of a compaction: tokens dropped, duration, and tokens read and written for it. Pure. */
import type { EventDetails } from '@/core/api/responses';
import type { SessionEvent } from '@/core/events/event';
import { compactionSizes } from '../../events/describe-event';

type Call = Pick<NonNullable<NonNullable<EventDetails['calls']>['before']>, 'at' | 'usage' | 'chain'>;

/** @param calls around the event, from `/events/{id}`; null: not read yet */
export function compactionCost(
  { detail, at, chain }: SessionEvent<'compaction'>,
  calls: Record<'before' | 'after' | 'summary', Call | null> | null,
) {
  const { before, freed } = compactionSizes(detail);
  const { preTokens: stated, lastReading: read } = detail;
  const usage = calls?.after?.usage ?? null;
  return {
    /** Tokens dropped, and their share of what was in use; null: one side is unknown. */
    dropped:
      freed === null || before === null || before <= 0 ? null : { tokens: freed, share: freed / before },
    duration: durationOf(detail.durationMs, at, calls?.before?.at),
    /** Tokens that the first turn after it sent uncached; null: unknown. */
    reread: usage === null ? null : usage.cacheCreation + usage.input,
    summary: calls === null ? null : summaryOf(calls.summary, chain),
    /** The client's count before it where the last turn had read another size; null: they agree, or one is unknown. */
    counts: stated !== undefined && read !== null && stated !== read ? { stated, read } : null,
  };
}

/** Tokens of the call that wrote the summary; `unreported`: no source reported it. */
function summaryOf(call: Call | null, chain: string) {
  if (call === null || call.usage === null) return 'unreported' as const;
  const { input, cacheRead, cacheCreation, output } = call.usage;
  return {
    sent: input + cacheRead + cacheCreation,
    cached: cacheRead,
    written: output,
    /** Read from the client's own file, which often has only the first output counts. */
    isFromFile: call.chain !== chain,
  };
}

/** As the client states it; else the time since the last turn before it, in which it must lie. Null: unknown. */
function durationOf(stated: number | undefined, at: string, before: string | undefined) {
  if (stated !== undefined) return { ms: stated, isStated: true };
  const ms = before === undefined ? Number.NaN : Date.parse(at) - Date.parse(before);
  return ms >= 0 ? { ms, isStated: false } : null;
}
