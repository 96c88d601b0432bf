/**
 * Which reading is in force. A reading replaces the one before it; what is never done is to mix bases in
 * one trace: once a chain has had readings with the output, the input side alone no longer moves it, and an
 * estimate never takes the place of a real reading in the same context. What is not used is stored, flagged.
 */
import type { ReadingBasis } from '../protocol/items';
import type { ChainFold, CompactionMemory } from './fold-types';
import { type Limit, learnFromReading } from './limit';

export interface Reading {
  tokens: number;
  basis: ReadingBasis;
  call: string | null;
}

/** Whether the reading may move the trace of its chain. */
export function isReadingUsable(
  chain: Readonly<ChainFold>,
  reading: Readonly<Reading>,
  limitTokens: number | null,
): boolean {
  const { context } = chain;
  const isFirstAfterCompaction = context.startedBy === 'compaction' && context.mainTurns === 0;
  if (isFirstAfterCompaction && limitTokens !== null && limitTokens > 0 && reading.tokens > limitTokens) {
    return false;
  }
  if (reading.basis === 'estimate') return context.reading === null || context.reading.basis === 'estimate';
  return reading.basis === 'total' || chain.basis !== 'total';
}

/** Puts a usable reading in force. Returns whether it taught the chain a larger limit. */
export function takeReading(chain: ChainFold, reading: Reading, limit: Limit): boolean {
  const { context } = chain;
  context.reading = reading;
  chain.lastKnown.snapshot = reading.tokens;
  if (reading.basis === 'estimate') return false;
  if (chain.basis !== 'total') chain.basis = reading.basis;
  return learnFromReading(chain, limit, reading.tokens);
}

/** The compaction this context began with, when its first reading is still missing or was an estimate. */
export function compactionAwaitingReading(chain: Readonly<ChainFold>): CompactionMemory | null {
  if (chain.context.startedBy !== 'compaction') return null;
  const memory = chain.compactions.findLast(
    (c) => c.state === 'confirmed' && c.detail.contextAfter === chain.context.index,
  );
  if (memory === undefined) return null;
  const isOpen = memory.detail.firstReading === undefined || memory.detail.firstReadingEstimated === true;
  return isOpen ? memory : null;
}

/** Writes the first reading after a compaction into its detail; null when there is nothing to write. */
export function noteFirstReading(
  chain: Readonly<ChainFold>,
  reading: Readonly<Reading>,
): { position: number; kind: 'compaction'; detail: Record<string, unknown> } | null {
  const memory = compactionAwaitingReading(chain);
  if (memory === null) return null;
  const isEstimate = reading.basis === 'estimate';
  if (isEstimate && memory.detail.firstReading !== undefined) return null;
  const { firstReadingEstimated: _before, ...rest } = memory.detail;
  memory.detail = {
    ...rest,
    firstReading: reading.tokens,
    ...(isEstimate ? { firstReadingEstimated: true } : {}),
  };
  return { position: memory.position, kind: 'compaction', detail: { ...memory.detail } };
}
