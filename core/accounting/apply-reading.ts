/**
 * Selects the current reading. A trace never mixes bases. After a reading that includes the output, readings of the
 * input side are ignored. An estimate never replaces a real reading. A size that cannot be the context's is no reading.
 * Ignored readings are stored and flagged.
 */
import type { ItemOf, ReadingBasis } from '../protocol/items';
import { applyCorrection, nameModel, refreshLimit, refuteLimit, stateLimit } from './limit';
import { LARGEST_WINDOW } from './model-table';
import { followMovement, type ValueBefore } from './movement';
import type { Step } from './step';

/** At least this share of a size is the prompt, if the output is unknown. */
const LEAST_PROMPT_SHARE = 0.95;
/** A size within this share of another may be a later count of the same call. */
const SAME_SIZE_SHARE = 0.1;

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
  applyCorrection(step);
  if (limit !== undefined) stateLimit(chain, chain.model, limit, limitSource);
  refreshLimit(step, { limit, limitSource });
  return before;
}

/**
 * Makes a usable reading current.
 * @param output of the call, tokens; undefined: unknown
 * @returns whether the reading is current now
 */
export function takeReading(step: Step, tokens: number, item: ReadingFields, output?: number): boolean {
  const { chain } = step;
  const { basis = 'total' } = item;
  if (!isUsable(step, tokens, basis)) return false;
  chain.context.reading = { tokens, basis };
  chain.lastKnown.snapshot = tokens;
  if (basis !== 'estimate') {
    chain.basis = basis;
    const prompt = output === undefined ? tokens * LEAST_PROMPT_SHARE : tokens - output;
    refuteLimit(step, tokens, basis === 'input' ? tokens : prompt);
  }
  refreshLimit(step, item);
  noteFirstReading(step, tokens, basis === 'estimate');
  return true;
}

function isUsable(step: Step, tokens: number, basis: ReadingBasis): boolean {
  const { chain } = step;
  const { context } = chain;
  const isReal = basis !== 'estimate';
  if (isReal && (tokens === 0 || isOfEndedContext(step, tokens) || isBeyondWindows(step, tokens)))
    return false;
  const isFirstAfterCompaction = context.startedBy === 'compaction' && context.mainTurns === 0;
  const windowTokens = chain.limit.tokens ?? 0;
  if (isFirstAfterCompaction && windowTokens > 0 && tokens > windowTokens) return false;
  if (basis === 'estimate') return context.reading === null || context.reading.basis === 'estimate';
  return basis === 'total' || chain.basis !== 'total';
}

/**
 * Whether the client's status line repeats the size of the ended context. It shows the last call, so until the new
 * context's first call it may repeat a size that differs by the output of a running call or by a count that came later.
 */
function isOfEndedContext({ chain, input }: Step, tokens: number): boolean {
  const { context, lastKnown } = chain;
  const isFirst = context.startedBy !== null && context.mainTurns === 0 && context.reading === null;
  if (!isFirst || input.source !== 'hook' || lastKnown.snapshot === null) return false;
  return Math.abs(tokens - lastKnown.snapshot) <= lastKnown.snapshot * SAME_SIZE_SHARE;
}

/**
 * Whether a reading exceeds every known window, as a sum of several calls may. Two such readings in a row are sizes, if
 * they are at most twice the largest window.
 */
function isBeyondWindows({ chain }: Step, tokens: number): boolean {
  const { context } = chain;
  const largest = Math.max(LARGEST_WINDOW, chain.limit.tokens ?? 0);
  const wasBeyond = context.beyondWindows === true;
  delete context.beyondWindows;
  if (tokens <= largest) return false;
  const isPlausible = tokens <= 2 * largest;
  if (isPlausible) context.beyondWindows = true;
  return !(isPlausible && wasBeyond);
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
