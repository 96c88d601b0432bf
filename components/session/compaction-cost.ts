/** What a compaction cost: what it dropped, how long it took, and what the next turn had to read anew. Pure. */
import type { SessionEvent, TurnRow } from '@/core/api/session';
import { freedTokens } from './describe-event';

export interface CompactionCost {
  /** Tokens dropped, and their share of what was in use; null: one side is not known. */
  dropped: { tokens: number; share: number } | null;
  /** Null: neither stated nor to be told from the turns around it. */
  duration: { ms: number; isStated: boolean } | null;
  /** Tokens that the first turn after it did not find in the cache: written to it anew, or sent uncached. Null: not known. */
  reread: number | null;
}

type Around = readonly Pick<TurnRow, 'number' | 'at' | 'usage'>[];

/** @param turns of the event's chain, with the last one before it and the first one after it where there are such */
export function compactionCost({ detail, turn, at }: SessionEvent, turns: Around): CompactionCost {
  const figures = freedTokens(detail);
  const before = turns.find(({ number }) => number === turn);
  const after = turns.find(({ number }) => number === turn + 1);
  const usage = after?.usage ?? null;
  return {
    dropped:
      figures === null || figures.before <= 0
        ? null
        : { tokens: figures.freed, share: figures.freed / figures.before },
    duration: durationOf(detail.durationMs, at, before?.at),
    reread: usage === null ? null : usage.cacheCreation + usage.input,
  };
}

/** As the client states it; else the time since the last turn before it, in which it must lie. */
function durationOf(stated: unknown, at: string, before: string | undefined): CompactionCost['duration'] {
  if (typeof stated === 'number' && Number.isFinite(stated) && stated >= 0)
    return { ms: stated, isStated: true };
  const ms = before === undefined ? Number.NaN : Date.parse(at) - Date.parse(before);
  return ms >= 0 ? { ms, isStated: false } : null;
}
