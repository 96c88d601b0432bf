/**
 * The API calls of a transcript and which entries came of them. Claude Code writes one call as several lines with
 * one id, the early ones with a placeholder for the output. Codex reports a call after its items, repeats reports,
 * and reports nothing for what it did before.
 */

import type { CallCounts, ReadEntry } from './entry';
import type { EntryKind } from './entry-kinds';

export interface BookedCall extends CallCounts {
  entry: number;
  chain: number;
  model: string | null;
  /** Moves no context: the client's own request. */
  isSide: boolean;
}

const OF_A_CALL: ReadonlySet<EntryKind> = new Set(['assistant', 'thinking', 'tool_call']);
/** Of a message's items, before its report comes. */
const MAX_WAITING = 10_000;

export interface CallBook {
  readonly calls: readonly BookedCall[];
  /** The call the entry is part of; null: none (yet). `assign` may say so later. */
  take(entry: ReadEntry, index: number, chain: number): number | null;
  /** The call whose context stands on the chain; null: unknown. */
  standing(chain: number): number | null;
  /** Main's context was given up. */
  forget(): void;
}

export function createCallBook(assign: (entry: number, call: number) => void): CallBook {
  const calls: BookedCall[] = [];
  const byId = new Map<string, number>();
  const standing = new Map<number, number>();
  let waiting: number[] = [];
  let isWaitingSide = false;
  let lastReport: string | null = null;
  let hasRecords = false;

  const add = (
    call: NonNullable<ReadEntry['call']>,
    entry: number,
    chain: number,
    isSide: boolean,
  ): number => {
    calls.push({ ...call.counts, entry, chain, model: call.model, isSide });
    const index = calls.length - 1;
    if (!isSide) standing.set(chain, index);
    return index;
  };

  const takeLine = (call: NonNullable<ReadEntry['call']>, entry: number, chain: number): number => {
    const key = `${chain} ${call.id}`;
    const known = byId.get(key);
    const booked = known === undefined ? undefined : calls[known];
    if (known === undefined || booked === undefined) {
      const index = add(call, entry, chain, call.isSide);
      byId.set(key, index);
      return index;
    }
    // The last line has the true figures; earlier ones may hold placeholders.
    booked.output = Math.max(booked.output, call.counts.output);
    booked.contextTokens = Math.max(booked.contextTokens, call.counts.contextTokens);
    return known;
  };

  const takeReport = (entry: ReadEntry, call: NonNullable<ReadEntry['call']>, index: number): void => {
    const isRecord = entry.name === 'token_usage_record';
    hasRecords ||= isRecord;
    if (!isRecord && (hasRecords || call.id === lastReport)) return;
    if (!isRecord) lastReport = call.id;
    const { input, output, cacheRead } = call.counts;
    // The zeroed report after a compaction is an estimate of what was kept.
    if (input + output + cacheRead === 0) return;
    const made = add(call, waiting[0] ?? index, 0, isWaitingSide);
    for (const item of waiting) assign(item, made);
    waiting = [];
    isWaitingSide = false;
  };

  return {
    calls,
    take(entry, index, chain) {
      if (entry.call === null) {
        if (OF_A_CALL.has(entry.kind) && chain === 0 && waiting.length < MAX_WAITING) {
          waiting.push(index);
          isWaitingSide ||= entry.isMeta;
        }
        return null;
      }
      if (!entry.call.isReport) return takeLine(entry.call, index, chain);
      takeReport(entry, entry.call, index);
      return null;
    },
    standing: (chain) => standing.get(chain) ?? null,
    forget() {
      standing.delete(0);
      waiting = [];
      isWaitingSide = false;
    },
  };
}
