/**
 * The usage of one context, and how full the context is. Owns three sums and the tracking state. Sums are always exact:
 * a turn that would make a sum inexact is refused as a whole. Every method is synchronous, and sums do not depend on
 * the order of turns.
 */

import { guardLogger } from '../guard';
import type { Logger } from '../logger';
import { hintRenamed, readByOldNames } from '../old-names';
import { showFigures } from '../show-figures';
import { requireCount, requireExactSum } from './usage-count-error';

/** The tracking state of a context after a turn without usage. Its sums no longer show how full it is. */
export const TRACKING_DISABLED = 'disabled';
/** Whether a context's sums show how full it is. */
export type TrackingState = 'enabled' | typeof TRACKING_DISABLED;

/** Context window if none is known, tokens. */
export const DEFAULT_LIMIT = 200_000;

/** Deltas of one turn, tokens. Absent and negative deltas count as 0. */
export interface TurnCounts {
  /** Input without cached tokens. */
  inputTokens: number;
  /** Output, with reasoning. */
  outputTokens: number;
  /** Tokens read from the prompt cache. Default 0. */
  cacheReadTokens?: number | undefined;
}

/** Options of a `ContextUsage`. */
export interface ContextUsageOptions {
  /** The session's id, for log lines. Default: none. */
  sessionId?: string | undefined;
  /** Logs resets at `debug`. Default: none. */
  logger?: Logger | undefined;
}

/**
 * The usage of one context: exact sums of its turns' deltas, in tokens, and the pressure from input and output. Cache
 * reads do not count towards pressure.
 */
export class ContextUsage {
  #inputTokens = 0;
  #outputTokens = 0;
  #cacheReadTokens = 0;
  #state: TrackingState = 'enabled';
  /** Whether a boundary followed the last turn without usage. */
  #mayEnable = false;
  readonly #sessionId: string | undefined;
  readonly #logger: Logger;

  /** @throws TypeError for an unknown option, such as a count. */
  constructor({ sessionId, logger, ...others }: ContextUsageOptions = {}) {
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) {
      throw new TypeError(
        `Unknown option "${unknown}": options are sessionId and logger, and addTurn adds counts`,
      );
    }
    this.#sessionId = sessionId;
    this.#logger = guardLogger(logger);
    showFigures(this);
  }

  /** Σ max(0, input) over the turns of this context, tokens. */
  get inputTokens(): number {
    return this.#inputTokens;
  }

  /** Σ max(0, output) over the turns of this context, tokens. */
  get outputTokens(): number {
    return this.#outputTokens;
  }

  /** Σ max(0, cacheRead), tokens. Not part of pressure. */
  get cacheReadTokens(): number {
    return this.#cacheReadTokens;
  }

  /** Input and output together, tokens: what fills the context. */
  get usedTokens(): number {
    return this.#inputTokens + this.#outputTokens;
  }

  /** The sums, for `JSON.stringify` and logs. */
  toJSON(): {
    inputTokens: number;
    outputTokens: number;
    cacheReadTokens: number;
    trackingState: TrackingState;
  } {
    const { inputTokens, outputTokens, cacheReadTokens, trackingState } = this;
    return { inputTokens, outputTokens, cacheReadTokens, trackingState };
  }

  /** `enabled`, or `disabled` since a main turn without usage. */
  get trackingState(): TrackingState {
    return this.#state;
  }

  /** False: pressure is always 0 and meaningless. */
  isTrackingEnabled(): boolean {
    return this.#state !== TRACKING_DISABLED;
  }

  /**
   * Adds the deltas of one turn. Does nothing while tracking is disabled.
   * @throws UsageCountError for a count that is not an exact whole number, or if a sum, or input and output together,
   * would exceed 2^53−1. In that case no sum has changed.
   */
  addTurn({ inputTokens, outputTokens, cacheReadTokens }: TurnCounts): void {
    if (!this.isTrackingEnabled()) return;
    const turn = {
      input: Math.max(0, requireCount(inputTokens, 'inputTokens')),
      output: Math.max(0, requireCount(outputTokens, 'outputTokens')),
      cacheRead: Math.max(0, requireCount(cacheReadTokens, 'cacheReadTokens')),
    };
    const input = requireExactSum(this.#inputTokens, turn.input, 'inputTokens');
    const output = requireExactSum(this.#outputTokens, turn.output, 'outputTokens');
    const cacheRead = requireExactSum(this.#cacheReadTokens, turn.cacheRead, 'cacheReadTokens');
    // The used tokens are input + output, which must be exact as well.
    requireExactSum(this.#outputTokens, input, 'inputTokens');
    requireExactSum(input, output, 'outputTokens');
    this.#inputTokens = input;
    this.#outputTokens = output;
    this.#cacheReadTokens = cacheRead;
  }

  /**
   * Starts a new context with sums of 0. Disabled tracking stays disabled until `enableTracking` is called for a turn
   * with usage.
   * @param options each has a default.
   * @param options.continuation number of the continuation, from 1: for the log.
   */
  reset(options: { continuation?: number | undefined } = {}): void {
    const { continuation } = options;
    const of = this.#sessionId === undefined ? '' : `Session ${this.#sessionId}: `;
    const cause = continuation === undefined ? 'a new context' : `restart (continuation #${continuation})`;
    this.#logger.debug(`${of}resetting context usage for ${cause}`, { continuation });
    this.#inputTokens = 0;
    this.#outputTokens = 0;
    this.#cacheReadTokens = 0;
    this.#mayEnable = true;
  }

  /** Stops tracking after a main turn without usage: pressure is 0, and no turn is added until a later context. */
  disableTracking(): void {
    this.#state = TRACKING_DISABLED;
    this.#mayEnable = false;
  }

  /**
   * Enables tracking again, for a main turn with usage. Does nothing unless a boundary (`reset`) followed the last turn
   * without usage.
   * @returns whether this call enabled tracking.
   */
  enableTracking(): boolean {
    if (this.isTrackingEnabled() || !this.#mayEnable) return false;
    this.#state = 'enabled';
    return true;
  }

  /**
   * (input + output) / limit, 0.0 to ∞, not clamped: above 1 the limit is exceeded. 0 while tracking is disabled, and
   * for a limit of 0 or less.
   * @param limit the context window, tokens. Default 200 000.
   */
  pressure(limit = DEFAULT_LIMIT): number {
    return this.isTrackingEnabled() && limit > 0 ? this.usedTokens / limit : 0;
  }

  /** @deprecated Use `pressure`. @hidden */
  pressureRatio(limit?: number): number {
    hintRenamed('ContextUsage', 'pressureRatio', 'pressure');
    return this.pressure(limit);
  }
}

/** Fields of a `ContextPressureError`. */
export interface ContextPressure {
  /** The agent's id of the full session; empty if unknown. */
  sessionId: string;
  /** Input over the context, tokens. */
  inputTokens: number;
  /** Output over the context, tokens. */
  outputTokens: number;
  /** Tokens that the context's calls read from the prompt cache. */
  cacheReadTokens: number;
  /** Share of the limit in use: 0.9 for 90 %. */
  pressure: number;
  /** @deprecated Use `pressure`. @hidden */
  readonly pressureRatio?: number;
}

/** A context reached its restart line. The sums are those of the context, not of the last turn. */
export class ContextPressureError extends Error implements ContextPressure {
  /** Name of the class. */
  override readonly name = 'ContextPressureError';
  /** Identifies the error. */
  readonly code = 'context_pressure';
  /** Id of the full session; empty if unknown. */
  declare readonly sessionId: string;
  /** Input over the context, tokens. */
  declare readonly inputTokens: number;
  /** Output over the context, tokens. */
  declare readonly outputTokens: number;
  /** Tokens that the context's calls read from the prompt cache. */
  declare readonly cacheReadTokens: number;
  /** Share of the limit in use: 0.9 for 90 %. */
  declare readonly pressure: number;
  /** @deprecated Use `pressure`. @hidden */
  declare readonly pressureRatio: number;

  constructor(full: ContextPressure) {
    const { sessionId, inputTokens, outputTokens, cacheReadTokens, pressure } = full;
    const of = sessionId === '' ? '' : ` of session ${sessionId}`;
    const sums = `input=${inputTokens} output=${outputTokens} cache_read=${cacheReadTokens}`;
    super(`Context pressure${of}: ${formatPercent(pressure)} (${sums})`);
    Object.assign(this, { sessionId, inputTokens, outputTokens, cacheReadTokens, pressure });
    readByOldNames<ContextPressureError>('ContextPressureError', this, { pressureRatio: 'pressure' });
  }
}

/** A share as a percentage: 0.0318 is `3.2%`. */
export function formatPercent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}
