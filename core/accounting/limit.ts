/**
 * Selects the context window of a turn, in the order of docs/accounting.md. Table, learned and assumed limits are
 * estimates, and a higher reading replaces them. A limit stated by a runner or client is never replaced.
 */
import { getOwn, setOwn } from './empty-fold';
import type { ChainFold, SessionFold } from './fold-types';
import { findModelWindow } from './model-table';
import type { LimitSource } from './types';

const ASSUMED_LIMIT_TOKENS = 200_000;
/** Number of models for which a chain remembers a limit. The oldest limit is dropped first. */
const MAX_STATED_LIMITS = 32;
/** Key of a limit stated before any model was named. */
const NO_MODEL = '';

export interface Limit {
  tokens: number | null;
  source: LimitSource;
}

export function resolveLimit(
  state: Readonly<SessionFold>,
  chain: Readonly<ChainFold>,
  model: string | null,
  ownTokens: number | undefined,
): Limit {
  if (ownTokens !== undefined) return { tokens: ownTokens, source: 'turn' };
  const stated = getOwn(chain.statedLimits, model ?? NO_MODEL) ?? getOwn(chain.statedLimits, NO_MODEL);
  if (stated !== undefined) return { tokens: stated, source: 'client' };
  if (state.sessionLimit !== null) return { tokens: state.sessionLimit, source: 'session' };
  const table = model === null ? null : findModelWindow(model);
  const learned = chain.learnedLimit;
  if (table !== null && (learned ?? 0) <= table.tokens) return { tokens: table.tokens, source: 'table' };
  if (learned !== null) return { tokens: learned, source: 'learned' };
  if (state.lens === 'cumulative') return { tokens: ASSUMED_LIMIT_TOKENS, source: 'assumed' };
  return { tokens: null, source: 'none' };
}

export function stateLimit(chain: ChainFold, model: string | null, tokens: number): void {
  const limits = chain.statedLimits;
  const key = model ?? NO_MODEL;
  if (!Object.hasOwn(limits, key)) {
    const keys = Object.keys(limits);
    if (keys.length >= MAX_STATED_LIMITS) for (const oldest of keys.slice(0, 1)) delete limits[oldest];
  }
  setOwn(limits, key, tokens);
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

function isBelief(source: LimitSource): boolean {
  return source === 'table' || source === 'learned' || source === 'assumed';
}

/** A real reading above an estimated limit raises the limit to the model's larger window or to the reading. */
export function learnFromReading(chain: ChainFold, readingTokens: number): void {
  if (!isBelief(chain.limit.source) || readingTokens <= (chain.limit.tokens ?? 0)) return;
  const window = chain.model === null ? null : findModelWindow(chain.model);
  chain.learnedLimit = Math.max(readingTokens, window?.larger ?? 0);
}

export function learnFromCompaction(chain: ChainFold, preTokens: number): void {
  chain.learnedLimit = Math.max(preTokens, chain.learnedLimit ?? 0);
}

/** Selects the limit again. A new window drops the compaction points of the old window. */
export function refreshLimit(state: Readonly<SessionFold>, chain: ChainFold, ownTokens?: number): void {
  const limit = resolveLimit(state, chain, chain.model, ownTokens);
  const isOtherWindow = chain.limit.source !== 'none' && limit.tokens !== chain.limit.tokens;
  // A learned limit comes from a compaction or reading, so a new learned limit does not prove a new window.
  if (isOtherWindow && limit.source !== 'learned') {
    chain.compactedAt = [];
    chain.passed = 0;
  }
  chain.limit = limit;
}
