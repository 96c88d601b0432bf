/**
 * Selects the current reading. A trace never mixes bases. After a reading that includes the output, readings of the
 * input side are ignored. An estimate never replaces a real reading. Ignored readings are stored and flagged.
 */
import type { ItemOf, ReadingBasis } from '../protocol/items';
import { nameModel, refreshLimit, refuteLimit, stateLimit } from './limit';
import { followMovement, type ValueBefore } from './movement';
import type { Step } from './step';

export function applyReading(step: Step, item: ItemOf<'reading'>): void {
  const { chain } = step;
  chain.context.startedAt ??= step.time;
  const before = beforeReading(step, item);
  const isUsed = takeReading(step, item.contextTokens, item);
  followMovement(step, before, false);
  step.store(chain.limit, {
    estimated: item.basis === 'estimate',
    untracked: !chain.context.tracked,
    noUsage: true,
    inherited: false,
    negative: false,
    clock: step.input.clockOff,
    readingIgnored: !isUsed,
    readingOnly: true,
  });
}

type ReadingFields = Partial<ItemOf<'turn' | 'reading'>>;

/** Records the model and the stated limit. @returns the value and the basis before the reading */
export function beforeReading(step: Step, { model, limit, limitSource }: ReadingFields): ValueBefore {
  const { chain } = step;
  const before = { used: step.used(), basis: chain.context.reading?.basis };
  nameModel(chain, model);
  if (limit !== undefined) stateLimit(chain, chain.model, limit, limitSource);
  refreshLimit(step, { limit, limitSource });
  return before;
}

/** Makes a usable reading current. @returns whether the reading is current now */
export function takeReading(step: Step, tokens: number, item: ReadingFields): boolean {
  const { chain } = step;
  const { basis = 'total' } = item;
  if (!isUsable(step, tokens, basis)) return false;
  chain.context.reading = { tokens, basis };
  chain.lastKnown.snapshot = tokens;
  if (basis !== 'estimate') {
    chain.basis = basis;
    refuteLimit(step, tokens);
  }
  refreshLimit(step, item);
  noteFirstReading(step, tokens, basis === 'estimate');
  return true;
}

function isUsable({ chain }: Step, tokens: number, basis: ReadingBasis): boolean {
  const { context } = chain;
  const isFirstAfterCompaction = context.startedBy === 'compaction' && context.mainTurns === 0;
  const windowTokens = chain.limit.tokens ?? 0;
  if (isFirstAfterCompaction && windowTokens > 0 && tokens > windowTokens) return false;
  if (basis === 'estimate') return context.reading === null || context.reading.basis === 'estimate';
  return basis === 'total' || chain.basis !== 'total';
}

/** Adds the first reading after a compaction to the compaction's detail. A real reading replaces an estimate. */
function noteFirstReading(step: Step, tokens: number, isEstimate: boolean): void {
  const { chain } = step;
  const { context } = chain;
  if (!context.awaitsFirstReading) return;
  context.awaitsFirstReading = isEstimate;
  const memory = chain.compactions.findLast((c) => c.detail.contextAfter === context.index);
  if (memory === undefined || (isEstimate && memory.detail.firstReading !== undefined)) return;
  const { firstReadingEstimated: _before, ...rest } = memory.detail;
  memory.detail = { ...rest, firstReading: tokens, ...(isEstimate && { firstReadingEstimated: true }) };
  step.amends = { position: memory.position, kind: 'compaction', detail: { ...memory.detail } };
}
