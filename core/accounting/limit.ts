/**
 * Selects the context window of a turn, in the order of docs/accounting.md. Table, assumed and learned limits are
 * estimates, and a client's statement is a claim. A higher reading refutes either from its first item on: ingest folds
 * again from that item, with the correction. Limits that a person or the API sets are never replaced.
 */

import { clientNamed } from '../agents/clients';
import type { ItemOf } from '../protocol/items';
import { getOwn, setOwn } from './empty-fold';
import type { ChainFold, Correction, Limit, SessionFold } from './fold-types';
import { findModelWindow, plainModel, windowAbove } from './model-table';
import type { Step } from './step';
import type { LimitSource } from './types';

const ASSUMED_LIMIT_TOKENS = 200_000;
/** Number of models for which a chain remembers a limit. The oldest limit is dropped first. */
const MAX_MODELS = 32;
/** The limit of a turn or reading. */
type StatedLimit = Pick<ItemOf<'reading'>, 'limit' | 'limitSource'>;
/** Key of a limit stated before any model was named. */
const NO_MODEL = '';

export function resolveLimit(
  state: Readonly<SessionFold>,
  chain: Readonly<ChainFold>,
  model: string | null,
  own: StatedLimit = {},
  windows: Readonly<Record<string, number>> = {},
): Limit {
  const from = (source: LimitSource, tokens: number | null): Limit => ({ tokens, source, at: null });
  const { limit, limitSource = 'turn' } = own;
  const learned = getOwn(chain.learned, model ?? NO_MODEL);
  if (limit !== undefined && !isRefuted(learned, limitSource, limit)) return from(limitSource, limit);
  const stated = statedFor(chain, model);
  if (stated?.own || (stated && !isRefuted(learned, stated.source, stated.tokens)))
    return from(stated.source, stated.tokens);
  if (state.sessionLimit !== null) return from('session', state.sessionLimit);
  const set = model === null ? undefined : (getOwn(windows, model) ?? getOwn(windows, plainModel(model)));
  if (set !== undefined) return from('setting', set);
  if (learned !== undefined) return from('learned', learned.tokens);
  const table = model === null ? null : findModelWindow(model, state.client);
  if (table !== null) return from('table', table.tokens);
  const isAssumed = model !== null || state.lens === 'cumulative';
  return isAssumed ? from('assumed', ASSUMED_LIMIT_TOKENS) : from('none', null);
}

function statedFor({ statedLimits }: Readonly<ChainFold>, model: string | null) {
  return getOwn(statedLimits, model ?? NO_MODEL) ?? getOwn(statedLimits, NO_MODEL);
}

/** Whether a size above a client's statement was seen. The client may repeat the statement. */
function isRefuted(learned: Correction | undefined, source: LimitSource, tokens: number): boolean {
  return isClaim(source) && learned?.refutes !== undefined && tokens <= learned.refutes;
}

/** @param source undefined: the runner's own limit */
export function stateLimit(
  chain: ChainFold,
  model: string | null,
  tokens: number,
  source?: LimitSource,
): void {
  const learned = getOwn(chain.learned, model ?? NO_MODEL);
  if (source !== undefined && isRefuted(learned, source, tokens)) return;
  const stated = source === undefined ? { source: 'client' as const, own: true as const } : { source };
  remember(chain.statedLimits, model ?? NO_MODEL, { tokens, ...stated });
}

function remember<T>(limits: Record<string, T>, model: string, limit: T): void {
  if (!Object.hasOwn(limits, model)) {
    const models = Object.keys(limits);
    if (models.length >= MAX_MODELS) for (const oldest of models.slice(0, 1)) delete limits[oldest];
  }
  setOwn(limits, model, limit);
}

/** Records the model's name. A limit that was stated before any model was named belongs to the first model. */
export function nameModel(chain: ChainFold, model: string | undefined): void {
  if (model === undefined) return;
  const stated = getOwn(chain.statedLimits, NO_MODEL);
  if (stated !== undefined) {
    delete chain.statedLimits[NO_MODEL];
    if (!Object.hasOwn(chain.statedLimits, model)) setOwn(chain.statedLimits, model, stated);
  }
  chain.model = model;
}

function isEstimate(source: LimitSource): boolean {
  return source === 'table' || source === 'learned' || source === 'assumed';
}

/** A client states its own opinion of the window. Other statements are from the runner or the API. */
function isClaim(source: LimitSource): boolean {
  return source === 'client' || source === 'status_line';
}

function isRefutable(chain: Readonly<ChainFold>, { source }: Limit): boolean {
  return isEstimate(source) || (isClaim(source) && statedFor(chain, chain.model)?.own !== true);
}

/**
 * A real reading above an estimate or a client's statement proves a larger window from the last change of window or
 * model on.
 * @param prompt the part of the reading that was sent for certain, tokens: the API's window may exclude the output
 */
export function refuteLimit(step: Step, readingTokens: number, prompt: number): void {
  const { state, chain, key, input, time } = step;
  const { estimate, limit, model } = chain;
  if (!estimate) return;
  const isStated = isClaim(limit.source);
  const share = limit.source === 'client' ? (clientNamed(state.client)?.statedShare ?? 1) : 1;
  const proven = isStated ? prompt * share : readingTokens;
  if (proven <= (limit.tokens ?? 0)) return;
  const before = getOwn(chain.learned, model ?? NO_MODEL);
  const table = isStated && model !== null ? (findModelWindow(model)?.tokens ?? 0) : 0;
  const window = table >= readingTokens ? table : windowAbove(readingTokens);
  const refutes = isStated ? (limit.tokens ?? 0) : before?.refutes;
  step.corrects = {
    chain: key,
    since: estimate.since,
    // The refuted limit may come from a later statement, so this correction also depends on that statement.
    by: Math.max(input.position, before?.by ?? 0),
    at: time,
    readingTokens,
    tokens: isStated ? Math.max(window, before?.tokens ?? 0) : window,
    ...(refutes !== undefined && { refutes }),
  };
  remember(chain.learned, model ?? NO_MODEL, step.corrects);
}

/** Selects the limit again. A new window drops the compaction points of the old window. */
export function refreshLimit(step: Step, own?: StatedLimit): void {
  applyCorrection(step);
  const { state, chain } = step;
  const { model, limit: before, estimate } = chain;
  const limit = resolveLimit(state, chain, model, own, step.context.windows);
  const isChange = before.source !== 'none' && limit.tokens !== before.tokens;
  if (isChange) {
    chain.compactedAt = [];
    chain.passed = 0;
    if (estimate?.model === model && isEstimate(before.source))
      refuteByStatement(step, estimate.since, limit);
    if (step.corrects === null) emitChange(step, limit);
  }
  const isNew = estimate?.model !== model || (isChange && step.corrects === null);
  if (!isRefutable(chain, limit)) chain.estimate = null;
  else if (isNew) chain.estimate = { model, since: step.input.position };
  const isSame = limit.tokens === before.tokens && isEstimate(limit.source) === isEstimate(before.source);
  chain.limit = { ...limit, at: isSame ? before.at : step.time };
}

/** A statement about the window in use corrects an estimate. A turn may also state a change of window. */
function refuteByStatement(step: Step, since: number, { tokens, source }: Limit): void {
  const { chain, key, input, time } = step;
  const mayChange = source === 'turn' || isEstimate(source);
  if (mayChange || tokens === null || chain.limit.source === 'learned') return;
  step.corrects = { chain: key, since, by: input.position, at: time, readingTokens: tokens, tokens };
  remember(chain.learned, chain.model ?? NO_MODEL, step.corrects);
}

/** Emits a change of the window. Before the first turn, nothing has used the old window. */
function emitChange(step: Step, { tokens: to, source }: Limit): void {
  const { context, limit, model } = step.chain;
  const { tokens: from, source: fromSource } = limit;
  if (from === null || to === null || (context.index === 0 && context.lastMainAt === null)) return;
  step.emit({ kind: 'window_changed', detail: { from, fromSource, to, source, model } });
}

/** Applies the correction of a limit that begins at this item. It may repeat a part of an earlier one. */
export function applyCorrection({ state, chain, key, input }: Step): void {
  const isHere = (other: Correction) => other.chain === key && other.since === input.position;
  const { corrections = [] } = state;
  const found = corrections.find(isHere);
  if (found === undefined) return;
  state.corrections = corrections.filter((other) => !isHere(other));
  const before = getOwn(chain.learned, chain.model ?? NO_MODEL)?.refutes ?? -1;
  if (found.refutes === undefined || found.refutes > before)
    remember(chain.learned, chain.model ?? NO_MODEL, found);
}

/** The position of the last reading that corrected a limit of this state; -1: none. */
export function lastCorrectionBy({ corrections = [], chains }: Readonly<SessionFold>): number {
  const learned = Object.values(chains).flatMap((chain) => Object.values(chain.learned));
  return Math.max(-1, ...[...corrections, ...learned].map(({ by }) => by));
}
