/**
 * Selects the context window of a turn, in the order of docs/accounting.md. Table, assumed and learned limits are
 * estimates. A higher reading refutes an estimate from its first item on: ingest folds again from that item, with the
 * correction. A stated limit is never replaced.
 */

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
  if (own.limit !== undefined) return from(own.limitSource ?? 'turn', own.limit);
  const stated = getOwn(chain.statedLimits, model ?? NO_MODEL) ?? getOwn(chain.statedLimits, NO_MODEL);
  if (stated !== undefined) return { ...stated, at: null };
  if (state.sessionLimit !== null) return from('session', state.sessionLimit);
  const set = model === null ? undefined : (getOwn(windows, model) ?? getOwn(windows, plainModel(model)));
  if (set !== undefined) return from('setting', set);
  const learned = getOwn(chain.learned, model ?? NO_MODEL);
  if (learned !== undefined) return from('learned', learned.tokens);
  const table = model === null ? null : findModelWindow(model);
  if (table !== null) return from('table', table.tokens);
  const isAssumed = model !== null || state.lens === 'cumulative';
  return isAssumed ? from('assumed', ASSUMED_LIMIT_TOKENS) : from('none', null);
}

export function stateLimit(
  chain: ChainFold,
  model: string | null,
  tokens: number,
  source: LimitSource = 'client',
): void {
  remember(chain.statedLimits, model ?? NO_MODEL, { tokens, source });
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

/** A real reading above an estimated limit proves a larger window from the last statement or change of model on. */
export function refuteLimit(step: Step, readingTokens: number): void {
  const { chain, key, input, time } = step;
  const { estimate, limit, model } = chain;
  if (!estimate || readingTokens <= (limit.tokens ?? 0)) return;
  const tokens = windowAbove(readingTokens);
  // The refuted limit may come from a later statement, so this correction also depends on that statement.
  const by = Math.max(input.position, getOwn(chain.learned, model ?? NO_MODEL)?.by ?? 0);
  step.corrects = { chain: key, since: estimate.since, by, at: time, readingTokens, tokens };
  remember(chain.learned, model ?? NO_MODEL, step.corrects);
}

/** Selects the limit again. A new window drops the compaction points of the old window. */
export function refreshLimit(step: Step, own?: StatedLimit): void {
  const { state, chain } = step;
  const { model, limit: before, estimate } = chain;
  const resolve = () => resolveLimit(state, chain, model, own, step.context.windows);
  let limit = resolve();
  if (!isEstimate(limit.source)) chain.estimate = null;
  else if (chain.estimate?.model !== model) {
    chain.estimate = { model, since: step.input.position };
    applyCorrection(step);
    limit = resolve();
  }
  if (before.source !== 'none' && limit.tokens !== before.tokens) {
    chain.compactedAt = [];
    chain.passed = 0;
    if (estimate?.model === model) refuteByStatement(step, estimate.since, limit);
    if (step.corrects === null) emitChange(step, limit);
  }
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

/** Applies the correction of an estimate that begins at this item. */
function applyCorrection({ state, chain, key, input }: Step): void {
  const isHere = (other: Correction) => other.chain === key && other.since === input.position;
  const { corrections = [] } = state;
  const known = corrections.find(isHere);
  if (known === undefined) return;
  state.corrections = corrections.filter((other) => !isHere(other));
  remember(chain.learned, chain.model ?? NO_MODEL, known);
}

/** The position of the last reading that corrected a limit of this state; -1: none. */
export function lastCorrectionBy({ corrections = [], chains }: Readonly<SessionFold>): number {
  const learned = Object.values(chains).flatMap((chain) => Object.values(chain.learned));
  return Math.max(-1, ...[...corrections, ...learned].map(({ by }) => by));
}
