/**
 * Reads a transcript entry by entry, and collects facts that need the whole file: calls and results, context sizes,
 * compactions and their losses. The outline has a few numbers per entry and no texts.
 */
import type { TranscriptFormat } from '../agents/clients';
import { bareEntry, ENTRY_KINDS, MESSAGE_KINDS, type ReadEntry } from '../agents/entry';
import { createCallBook } from './call-book';
import { createLossBook, type Loss } from './losses';
import { emptyColumns, type Outline, type OutlineChain, type OutlineCompaction } from './outline';
import { createPairs } from './pairs';
import { decodeBytes, readEntry } from './read-entry';
import type { EntryBytes } from './split-entries';

/** Maximum of entries, because a browser loads the whole outline. */
const MAX_ENTRIES = 1_000_000;
/** Chains beyond this number share one index, so that a hostile file cannot fill the memory. */
const MAX_CHAINS = 5_000;
/** Maximum number of listed compactions: the first ones and the last. The outline has a row for every compaction. */
const MAX_COMPACTIONS = 2_000;
const KIND_NUMBERS = new Map(ENTRY_KINDS.map((kind, index) => [kind, index]));

export function createTranscriptReader(format: TranscriptFormat) {
  const columns = emptyColumns();
  const chains: OutlineChain[] = [{ key: 'main', call: null, entry: 0, entries: 0 }];
  const chainNumbers = new Map([['main', 0]]);
  const starters = new Map<string, number>();
  const compactions: OutlineCompaction[] = [];
  const calls = createCallBook((entry, call) => {
    columns.call[entry] = call;
  });
  const pairs = createPairs(columns.pair);
  const losses = createLossBook(MAX_COMPACTIONS);
  const knownBoundaries = new Set<string>();
  /** The newest message with an id. */
  let newest = { id: '', entry: 0 };
  let boundaries = 0;
  let messages = 0;
  let lastPart: EntryBytes | null = null;
  let window: number | null = null;

  const chainOf = (key: string | null, entry: number): number => {
    if (key === null) return 0;
    const wanted = chainNumbers.get(key);
    if (wanted !== undefined) return wanted;
    const isFull = chains.length >= MAX_CHAINS;
    if (isFull && chainNumbers.has('others')) return chainNumbers.get('others') ?? 0;
    const name = isFull ? 'others' : key;
    chains.push({ key: name.slice(0, 200), call: starters.get(key) ?? null, entry, entries: 0 });
    chainNumbers.set(name, chains.length - 1);
    return chains.length - 1;
  };

  /** Links a sub-agent's chain to its call. The chain's lines name the call, or the call's result names the chain. */
  const linkChain = (entry: ReadEntry, index: number, chain: number): void => {
    if (entry.startedBy === null) return;
    if (chain === 0) {
      const call = pairs.callOf(index);
      const known = chains[chainNumbers.get(entry.startedBy) ?? -1];
      if (known) known.call ??= call;
      else if (call !== null && starters.size < MAX_CHAINS) starters.set(entry.startedBy, call);
      return;
    }
    const own = chains[chain];
    if (own) own.call ??= pairs.findCall(entry.startedBy);
  };

  /** A client may write a compaction or its newest message again. The outline shows repeated entries only once. */
  const takeRepeat = (entry: ReadEntry, index: number): void => {
    const boundary = entry.boundary?.id ?? null;
    if (boundary !== null && knownBoundaries.has(boundary)) {
      entry.kind = 'record';
      entry.boundary = null;
      entry.blocks = [];
    } else if (boundary !== null) knownBoundaries.add(boundary);
    if (entry.id === null || !MESSAGE_KINDS.has(entry.kind)) return;
    if (entry.isRewrite && entry.id === newest.id) {
      columns.kind[newest.entry] = KIND_NUMBERS.get('record') ?? 0;
      messages -= 1;
    }
    newest = { id: entry.id, entry: index };
  };

  const takeBoundary = (entry: ReadEntry, index: number, from: number): void => {
    const { boundary } = entry;
    if (boundary === null) return;
    const { trigger, preTokens, postTokens, durationMs } = boundary;
    calls.takeOwnCall(boundary.ownCall);
    const before = contextOf(calls.standing(0));
    const summary = boundary.summary === null ? null : index;
    const stated = { trigger, preTokens, postTokens, durationMs };
    const compaction = { entry: index, from, summary, at: entry.at, ...stated };
    boundaries += 1;
    if (compactions.length >= MAX_COMPACTIONS) compactions.pop();
    compactions.push(compaction);
    losses.close(compaction, boundary, before);
    calls.forget();
  };

  const contextOf = (call: number | null): number | null =>
    call === null ? null : (calls.calls[call]?.contextTokens ?? null);

  return {
    /** @param part the next entry, with masked bytes */
    take(part: EntryBytes): { index: number; entry: ReadEntry } {
      const entry = readEntry(part.bytes, format);
      const index = columns.kind.length;
      if (index >= MAX_ENTRIES) throw new Error(`it has more than ${MAX_ENTRIES} entries`);
      takeRepeat(entry, index);
      const chain = chainOf(entry.chain, index);
      const own = chains[chain];
      if (own) own.entries += 1;
      window = entry.window ?? window;
      columns.kind.push(KIND_NUMBERS.get(entry.kind) ?? 0);
      columns.line.push(part.line);
      columns.from.push(part.from);
      columns.at.push(entry.at);
      columns.chain.push(chain);
      if (MESSAGE_KINDS.has(entry.kind)) messages += 1;
      pairs.take(entry.blocks, index);
      linkChain(entry, index, chain);
      if (chain === 0) takeBoundary(entry, index, part.from);
      const call = calls.take(entry, index, chain);
      columns.call.push(call);
      const standing = calls.standing(chain);
      columns.standing.push(standing);
      const last = compactions.at(-1);
      if (chain === 0 && last) {
        if (entry.kind === 'summary') last.summary ??= index;
        if (isPlausible(entry.keptTokens, window)) last.postTokens ??= entry.keptTokens;
      }
      if (chain === 0) losses.take(entry, index, standing);
      lastPart = part;
      return { index, entry };
    },
    /**
     * @param followed the last compaction's summary, if the file ends with the compaction's line or before it
     * @param isCompacted whether a compaction follows the file, of which the client has not written the line yet
     */
    finish(followed: string | null = null, isCompacted = false): { outline: Outline; losses: Loss[] } {
      if (isCompacted) takeBoundary(unwrittenBoundary(), columns.kind.length, lastPart?.to ?? 0);
      const outline = {
        bytes: lastPart?.to ?? 0,
        lines: lastPart === null ? 0 : lastPart.line + countLines(lastPart.bytes),
        entries: columns.kind.length,
        messages,
        window,
        columns,
        calls: calls.calls,
        chains,
        boundaries,
        compactions,
      };
      return { outline, losses: losses.finish(calls.calls, followed) };
    },
  };
}

function unwrittenBoundary(): ReadEntry {
  const unknown = { id: null, at: null, trigger: null, preTokens: null, postTokens: null, durationMs: null };
  const boundary = { ...unknown, keptIds: [], keptTexts: [], summary: null };
  return { ...bareEntry('compaction'), boundary };
}

/** An entry of a document may span several lines. */
function countLines(bytes: Uint8Array | null): number {
  return decodeBytes(bytes ?? new Uint8Array())
    .trimEnd()
    .split('\n').length;
}

/** Rejects estimates above the window, which some clients report. */
function isPlausible(keptTokens: number | null, window: number | null): boolean {
  return keptTokens !== null && keptTokens > 0 && keptTokens <= (window ?? keptTokens);
}
