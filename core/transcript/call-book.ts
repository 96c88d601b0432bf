/**
 * The API calls of a transcript and their entries. Some clients write a call as several lines with the same id; the
 * first lines have a placeholder for the output. Other clients report a call after its items and repeat reports.
 */
import type { CallCounts, EntryCall, EntryKind, ReadEntry } from '../agents/entry';

export interface BookedCall extends CallCounts {
  entry: number;
  chain: number;
  model: string | null;
  /** A request of the client itself, which does not change the context. */
  isSide: boolean;
}

const OF_A_CALL: ReadonlySet<EntryKind> = new Set(['assistant', 'thinking', 'tool_call']);
/** Maximum of entries that wait for the report of their call. */
const MAX_WAITING = 10_000;

export function createCallBook(assign: (entry: number, call: number) => void) {
  const calls: BookedCall[] = [];
  const byId = new Map<string, number>();
  const standing = new Map<number, number>();
  let waiting: number[] = [];
  let isWaitingSide = false;
  let lastTotals: string | null = null;
  let hasResponses = false;
  /** The newest report: its id, its call, and the chain's call before it. */
  let newest: { id: string; call: number; before: number | undefined } | null = null;

  const add = (call: EntryCall, entry: number, chain: number, isSide: boolean): number => {
    calls.push({ ...call.counts, entry, chain, model: call.model, isSide });
    const index = calls.length - 1;
    if (!isSide) standing.set(chain, index);
    return index;
  };

  const takeLine = (call: EntryCall, entry: number, chain: number): number => {
    const key = `${chain} ${call.id}`;
    const known = byId.get(key);
    const booked = known === undefined ? undefined : calls[known];
    if (known === undefined || booked === undefined) {
      const index = add(call, entry, chain, call.isSide);
      byId.set(key, index);
      return index;
    }
    // Earlier lines may hold placeholders.
    booked.output = Math.max(booked.output, call.counts.output);
    booked.contextTokens = Math.max(booked.contextTokens, call.counts.contextTokens);
    return known;
  };

  const takeReport = (call: EntryCall, index: number): void => {
    if (call.source === 'response') hasResponses = true;
    else if (hasResponses || call.id === lastTotals) return;
    else lastTotals = call.id;
    const before = standing.get(0);
    const made = add(call, waiting[0] ?? index, 0, isWaitingSide);
    newest = { id: call.id, call: made, before };
    for (const item of waiting) assign(item, made);
    waiting = [];
    isWaitingSide = false;
  };

  return {
    calls,
    /** The entry's call. Null: the entry has no call, or `assign` sets the call later. */
    take(entry: ReadEntry, index: number, chain: number): number | null {
      if (entry.call === null) {
        if (OF_A_CALL.has(entry.kind) && chain === 0 && waiting.length < MAX_WAITING) {
          waiting.push(index);
          isWaitingSide ||= entry.isMeta;
        }
        return null;
      }
      if (entry.call.source === 'line') return takeLine(entry.call, index, chain);
      takeReport(entry.call, index);
      return null;
    },
    /** The last call of the chain that gives the current context size. Null: unknown. */
    standing: (chain: number): number | null => standing.get(chain) ?? null,
    /** The newest report turns out to be a compaction's own call, if it has this id. */
    takeOwnCall(id: string | undefined): void {
      const own = newest === null || newest.id !== id ? undefined : calls[newest.call];
      if (own === undefined || own.isSide) return;
      own.isSide = true;
      if (newest?.before === undefined) standing.delete(0);
      else standing.set(0, newest.before);
    },
    forget(): void {
      standing.delete(0);
      waiting = [];
      isWaitingSide = false;
    },
  };
}
