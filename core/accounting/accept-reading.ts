/**
 * Which reading is in force. A reading replaces the one before it; what is never done is to mix bases in
 * one trace: once a chain has had readings with the output, the input side alone no longer moves it, and an
 * estimate never takes the place of a real reading in the same context. What is not used is stored, flagged.
 */
import type { ReadingBasis } from '../protocol/items';
import type { ChainFold, FoldStep } from './fold-types';
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
  const windowTokens = limitTokens ?? 0;
  if (isFirstAfterCompaction && windowTokens > 0 && reading.tokens > windowTokens) return false;
  if (reading.basis === 'estimate') return context.reading === null || context.reading.basis === 'estimate';
  return reading.basis === 'total' || chain.basis !== 'total';
}

/** Puts a usable reading in force. It may teach the chain a larger limit. */
export function takeReading(chain: ChainFold, reading: Reading, limit: Limit): void {
  const { context } = chain;
  context.reading = reading;
  chain.lastKnown.snapshot = reading.tokens;
  if (reading.basis === 'estimate') return;
  chain.basis = reading.basis;
  learnFromReading(chain, limit, reading.tokens);
}

/**
 * Write the first reading after a compaction into its detail; an estimate is kept until a real one
 * comes. null when there is nothing to write.
 */
export function noteFirstReading(chain: ChainFold, reading: Readonly<Reading>): FoldStep['amends'] {
  const { context } = chain;
  if (!context.awaitsFirstReading) return null;
  const isEstimate = reading.basis === 'estimate';
  context.awaitsFirstReading = isEstimate;
  // Only a confirmed one led to a context.
  const memory = chain.compactions.findLast((c) => c.detail.contextAfter === context.index);
  if (memory === undefined || (isEstimate && memory.detail.firstReading !== undefined)) return null;
  const { firstReadingEstimated: _before, ...rest } = memory.detail;
  memory.detail = {
    ...rest,
    firstReading: reading.tokens,
    ...(isEstimate ? { firstReadingEstimated: true } : {}),
  };
  return { position: memory.position, kind: 'compaction', detail: { ...memory.detail } };
}
