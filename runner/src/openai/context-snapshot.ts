/**
 * How full the context of one chain is, from its provider's last figures.
 *
 * Owns one number: the size after the last main call. It is replaced by each main call, never summed, and
 * stays between calls: exact when a call has ended, stale by the messages since. Bases are not mixed: an
 * estimate counts only where its context has no real reading, and a reading of the input side alone only
 * before the first one with the output.
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
import { statedOf } from '../usage/read-field';

/** The window of GPT-4o, tokens. Nothing assumes it: hand it over where it is right. */
export const GPT_4O_CONTEXT_MAX_TOKENS = 128_000;

/** What is known of a context beforehand. */
export interface ContextSnapshotOptions {
  /** The context window in tokens: one for all models, or by the model that answered. */
  contextMaxTokens?: number | ((model: string) => number | null | undefined) | undefined;
  /** Where states begin, as shares of the window. */
  thresholds?: Partial<Thresholds> | undefined;
}

/** Context size as a main call reports it. */
export interface SnapshotReading {
  /** Size of the context after the call, tokens; null: the call stated none. */
  tokens: number | null;
  basis: ReadingBasis;
  /** Model that answered. */
  model?: string | null | undefined;
}

/**
 * The size of one chain's context after its last main call, and how full that is. Each call replaces it; between
 * calls it stays.
 */
export class ContextSnapshot {
  readonly thresholds: Readonly<Thresholds>;
  readonly #stated: ContextSnapshotOptions['contextMaxTokens'];
  #tokens: number | null = null;
  #basis: ReadingBasis | null = null;
  #hasHadTotal = false;
  #lastKnown: number | null = null;
  #model: string | null = null;
  #version = 0;
  /** Clients have been seen to state a size above the window in the first call after a compaction. */
  #isFirstAfterCompaction = false;

  /** @throws RangeError when the thresholds do not ascend, or a window is no number of tokens. */
  constructor(options: ContextSnapshotOptions = {}) {
    const { contextMaxTokens, thresholds } = options;
    if (typeof contextMaxTokens === 'number' && !isSize(contextMaxTokens)) {
      throw new RangeError('"contextMaxTokens" must be a whole number of tokens, as in 128000');
    }
    this.#stated = contextMaxTokens;
    this.thresholds = resolveThresholds(statedOf(thresholds ?? {}));
  }

  /** Size of the context after the last main call, tokens; null before the first one and after a boundary. */
  get contextTokens(): number | null {
    return this.#tokens;
  }

  /** What the size counts: the whole call, its input side, or a quarter of the characters. */
  get basis(): ReadingBasis | null {
    return this.#basis;
  }

  get isEstimate(): boolean {
    return this.#basis === 'estimate';
  }

  /** The last size that was known, before a boundary too. */
  get lastKnownTokens(): number | null {
    return this.#lastKnown;
  }

  /** The window in tokens: as stated, else by the table of models; null when unknown. */
  get contextMaxTokens(): number | null {
    const table = this.#model === null ? null : findModelWindow(this.#model);
    return this.statedMaxTokens(this.#model) ?? table?.tokens ?? null;
  }

  /** Share of the window in use, 0 to ∞, never clamped; null while size or window are unknown. */
  get pressure(): number | null {
    return pressureOf(this.#tokens, this.contextMaxTokens);
  }

  /** `nominal` to `redlined` by pressure, or `unknown`. */
  get state(): PressureState {
    return stateOf(this.pressure, this.thresholds);
  }

  /** Tokens that are left up to the window; null while unknown. */
  get tokensRemaining(): number | null {
    return this.#measure(tokensRemaining);
  }

  /** Raised by each reading in force and by each boundary. */
  get version(): number {
    return this.#version;
  }

  /** Tokens up to a line, a share of the window as in 0.75: max(0, floor(line × window) − used); null while unknown. */
  tokensUntil(line: number): number | null {
    return this.#measure((limit, used) => tokensUntil(line, limit, used));
  }

  /** Whether so many tokens more fit into the window; null while unknown. */
  hasRoomFor(tokens: number): boolean | null {
    return this.#measure((limit, used) => hasRoomFor(tokens, limit, used));
  }

  /** The window its owner stated for a model, tokens; null where none was. */
  statedMaxTokens(model: string | null): number | null {
    if (typeof this.#stated !== 'function') return this.#stated ?? null;
    const stated = model === null ? null : this.#stated(model);
    return isSize(stated) ? stated : null;
  }

  /** Takes the reading of a main call; one of a side call is none. Returns whether it is in force. */
  record(reading: Readonly<SnapshotReading>): boolean {
    const { tokens, basis, model } = reading;
    this.#model = model ?? this.#model;
    const isFirstAfterCompaction = this.#isFirstAfterCompaction;
    this.#isFirstAfterCompaction = false;
    if (tokens === null || !this.#isUsable(basis)) return false;
    if (isFirstAfterCompaction && this.#isAboveWindow(tokens)) return false;
    this.#tokens = tokens;
    this.#basis = basis;
    this.#hasHadTotal ||= basis === 'total';
    this.#lastKnown = tokens;
    this.#version += 1;
    return true;
  }

  /** The context ended and a fresh one begins: its size is unknown, not 0, until the next main call. */
  startContext(by: BoundaryKind = 'restart'): void {
    this.#tokens = null;
    this.#basis = null;
    this.#isFirstAfterCompaction = by === 'compaction';
    this.#version += 1;
  }

  #isAboveWindow(tokens: number): boolean {
    const max = this.contextMaxTokens ?? 0;
    return max > 0 && tokens > max;
  }

  #isUsable(basis: ReadingBasis): boolean {
    if (basis === 'estimate') return this.#basis === null || this.#basis === 'estimate';
    return basis === 'total' || !this.#hasHadTotal;
  }

  #measure<T>(measure: (limit: number, used: number) => T): T | null {
    const limit = this.contextMaxTokens;
    return this.#tokens === null || limit === null ? null : measure(limit, this.#tokens);
  }
}

/** Whether it is a number of tokens that the protocol takes. */
function isSize(tokens: unknown): tokens is number {
  return Number.isSafeInteger(tokens) && Number(tokens) >= 0;
}
