/**
 * How full the context of one chain is. Keeps the size after the last main call, without messages added since that
 * call. An estimate counts only until the first real reading of a context. A size without the output counts only until
 * the first size with the output.
 */

import { findModelWindow } from '../../../core/accounting/model-table';
import {
  hasRoomFor,
  pressureOf,
  stateOf,
  tokensRemaining,
  tokensUntil,
} from '../../../core/accounting/state';
import { resolveThresholds } from '../../../core/accounting/thresholds';
import type { BoundaryKind, PressureState, Thresholds } from '../../../core/accounting/types';
import type { ReadingBasis } from '../../../core/protocol/items';
import { hintRenamed, takeOldNames } from '../old-names';
import { showFigures } from '../show-figures';
import { statedOf } from '../usage/read-field';

/** The context window of GPT-4o, tokens. Not a default: pass it as `limit` if your model has this window. */
export const GPT_4O_LIMIT = 128_000;
/** @deprecated Use `GPT_4O_LIMIT`. @hidden */
export const GPT_4O_CONTEXT_MAX_TOKENS = GPT_4O_LIMIT;

/** Options of a `ContextSnapshot`. */
export interface ContextSnapshotOptions {
  /** The context window in tokens, from 1: one for all models, or by model. Default: the built-in table by model. */
  limit?: number | ((model: string) => number | null | undefined) | undefined;
  /** @deprecated Use `limit`. @hidden */
  contextMaxTokens?: ContextSnapshotOptions['limit'];
  /** Lower bounds of the states, as shares of the window. Default: 0.5, 0.75, 0.85 and 1. */
  thresholds?: Partial<Thresholds> | undefined;
}

/** Context size as a main call reports it. */
export interface SnapshotReading {
  /** Size of the context after the call, tokens; null: unknown. */
  tokens: number | null;
  /** What `tokens` counts. */
  basis: ReadingBasis;
  /** Model that answered. */
  model?: string | null | undefined;
}

/** How full the context of one chain is after the last main call. Each main call replaces the size. */
export class ContextSnapshot {
  /** Lower bounds of the states, as shares of the window. */
  readonly thresholds: Readonly<Thresholds>;
  readonly #stated: ContextSnapshotOptions['limit'];
  #tokens: number | null = null;
  #basis: ReadingBasis | null = null;
  #hasHadTotal = false;
  #lastKnown: number | null = null;
  #model: string | null = null;
  #version = 0;
  /** Some clients report a size above the window in the first call after a compaction. */
  #isFirstAfterCompaction = false;

  /** @throws RangeError if the thresholds do not ascend, or for an invalid window. */
  constructor(given: ContextSnapshotOptions = {}) {
    const options = takeOldNames('ContextSnapshot', given, { contextMaxTokens: 'limit' });
    const { limit: window, thresholds = {} } = options;
    if (window !== undefined && typeof window !== 'function' && !isWindow(window)) {
      throw new RangeError('"limit" must be a whole number of tokens from 1, as in 128000');
    }
    this.#stated = window;
    this.thresholds = resolveThresholds(statedOf(thresholds));
    showFigures(this);
  }

  /** Size of the context after the last main call, tokens; null before the first call and after a boundary. */
  get contextTokens(): number | null {
    return this.#tokens;
  }

  /** What the size counts: the whole call, its input, or an estimate. */
  get basis(): ReadingBasis | null {
    return this.#basis;
  }

  get isEstimate(): boolean {
    return this.#basis === 'estimate';
  }

  /** The last known size, possibly from before a boundary. */
  get lastKnownTokens(): number | null {
    return this.#lastKnown;
  }

  /** The window in tokens: the given window, else the model's window in the built-in table; null if unknown. */
  get limit(): number | null {
    const table = this.#model === null ? null : findModelWindow(this.#model);
    return this.statedLimit(this.#model) ?? table?.tokens ?? null;
  }

  /** @deprecated Use `limit`. @hidden */
  get contextMaxTokens(): number | null {
    hintRenamed('ContextSnapshot', 'contextMaxTokens', 'limit');
    return this.limit;
  }

  /** Share of the limit in use, 0 to ∞, not clamped; null while size or window are unknown. */
  get pressure(): number | null {
    return pressureOf(this.#tokens, this.limit);
  }

  /** `nominal` to `redlined` by pressure, or `unknown`. */
  get state(): PressureState {
    return stateOf(this.pressure, this.thresholds);
  }

  /** Tokens left in the window; null while unknown. */
  get tokensRemaining(): number | null {
    return this.#measure(tokensRemaining);
  }

  /** Increases with each accepted reading and each boundary. */
  get version(): number {
    return this.#version;
  }

  /** Tokens until a line (a share of the window): max(0, floor(line × window) − used); null while unknown. */
  tokensUntil(line: number): number | null {
    return this.#measure((limit, used) => tokensUntil(line, limit, used));
  }

  /** Whether this many more tokens fit into the window; null while unknown. */
  hasRoomFor(tokens: number): boolean | null {
    return this.#measure((limit, used) => hasRoomFor(tokens, limit, used));
  }

  /** The window that you gave for a model, tokens; null if you gave none. */
  statedLimit(model: string | null): number | null {
    if (typeof this.#stated !== 'function') return this.#stated ?? null;
    const stated = model === null ? null : this.#stated(model);
    return isWindow(stated) ? stated : null;
  }

  /** @deprecated Use `statedLimit`. @hidden */
  statedMaxTokens(model: string | null): number | null {
    hintRenamed('ContextSnapshot', 'statedMaxTokens', 'statedLimit');
    return this.statedLimit(model);
  }

  /** The size, the limit and the pressure, for `JSON.stringify` and logs. */
  toJSON() {
    const { contextTokens, basis, limit, pressure, state } = this;
    return { contextTokens, basis, limit, pressure, state };
  }

  /** Takes the reading of a main call. Returns whether the reading was accepted. */
  record(reading: Readonly<SnapshotReading>): boolean {
    const { tokens, basis, model } = reading;
    this.#model = model ?? this.#model;
    const isFirstAfterCompaction = this.#isFirstAfterCompaction;
    this.#isFirstAfterCompaction = false;
    if (tokens === null || !this.#isUsable(basis)) return false;
    const max = this.limit ?? 0;
    if (isFirstAfterCompaction && max > 0 && tokens > max) return false;
    this.#tokens = tokens;
    this.#basis = basis;
    this.#hasHadTotal ||= basis === 'total';
    this.#lastKnown = tokens;
    this.#version += 1;
    return true;
  }

  /** Starts a fresh context. Its size is unknown, not 0, until the next main call. */
  startContext(by: BoundaryKind = 'restart'): void {
    this.#tokens = null;
    this.#basis = null;
    this.#isFirstAfterCompaction = by === 'compaction';
    this.#version += 1;
  }

  #isUsable(basis: ReadingBasis): boolean {
    if (basis === 'estimate') return this.#basis === null || this.#basis === 'estimate';
    return basis === 'total' || !this.#hasHadTotal;
  }

  #measure<T>(measure: (limit: number, used: number) => T): T | null {
    const limit = this.limit;
    return this.#tokens === null || limit === null ? null : measure(limit, this.#tokens);
  }
}

function isWindow(tokens: unknown): tokens is number {
  return Number.isSafeInteger(tokens) && Number(tokens) > 0;
}
