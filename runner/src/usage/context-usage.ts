/**
 * What one context has spent, and how full that makes it. Owns three sums and whether they are kept at all;
 * trades nothing away: sums are exact or the turn is refused as a whole. One object serves one chain of
 * conversation. Every method is synchronous, so calls from several tasks of one process never interleave, and
 * sums do not depend on the order of turns; only a reset divides them.
 */

import { guardLogger } from '../guard';
import { type Logger, silentLogger } from '../logger';
import { requireCount, requireExactSum } from './usage-count-error';

/** The tracking state of a context whose provider returned no usage: its sums say nothing about its size. */
export const TRACKING_DISABLED = 'disabled';
/** Whether a context's sums say how full it is. */
export type TrackingState = 'enabled' | typeof TRACKING_DISABLED;

/** Deltas of one turn, tokens. Absent counts as 0, a negative one too. */
export interface TurnCounts {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens?: number | undefined;
}

/** What a `ContextUsage` may be told at its start. */
export interface ContextUsageOptions {
  /** Named in log lines. */
  sessionId?: string | undefined;
  logger?: Logger | undefined;
}

/**
 * What one context has spent: exact sums of its turns' deltas, in tokens, and the pressure that follows from input and
 * output. Cache reads are kept for telemetry alone.
 */
export class ContextUsage {
  #inputTokens = 0;
  #outputTokens = 0;
  #cacheReadTokens = 0;
  #state: TrackingState = 'enabled';
  /** A boundary came since tracking went off, and no turn without usage after it. */
  #mayEnable = false;
  readonly #sessionId: string | undefined;
  readonly #logger: Logger;

  constructor({ sessionId, logger = silentLogger }: ContextUsageOptions = {}) {
    this.#sessionId = sessionId;
    this.#logger = guardLogger(logger);
  }

  /** Σ max(0, input) over the turns of this context, tokens. */
  get inputTokens(): number {
    return this.#inputTokens;
  }

  /** Σ max(0, output) over the turns of this context, tokens. */
  get outputTokens(): number {
    return this.#outputTokens;
  }

  /** Σ max(0, cacheRead), tokens: telemetry only, in no pressure. */
  get cacheReadTokens(): number {
    return this.#cacheReadTokens;
  }

  /** Input and output together, tokens: what fills the context. */
  get usedTokens(): number {
    return this.#inputTokens + this.#outputTokens;
  }

  /** `enabled`, or `disabled` since a main turn came without usage. */
  get trackingState(): TrackingState {
    return this.#state;
  }

  /** False: pressure reads 0 and says nothing. */
  isTrackingEnabled(): boolean {
    return this.#state !== TRACKING_DISABLED;
  }

  /**
   * Adds the deltas of one turn. Does nothing while tracking is disabled, and never enables it.
   * @throws UsageCountError for a count that is no exact whole number, or a sum above 2^53−1 (each,
   * and input and output together). The turn is then
   * refused as a whole: no sum has changed.
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
    // What is used is their sum, and exact as well.
    requireExactSum(this.#outputTokens, input, 'inputTokens');
    requireExactSum(input, output, 'outputTokens');
    this.#inputTokens = input;
    this.#outputTokens = output;
    this.#cacheReadTokens = cacheRead;
  }

  /**
   * A new context begins: its sums start at 0. Tracking that was off stays off; the first turn with usage may
   * now enable it again (`enableTracking`).
   * @param continuation number of the continuation that begins, from 1: for the log.
   */
  reset({ continuation }: { continuation?: number | undefined } = {}): void {
    const of = this.#sessionId === undefined ? '' : `Session ${this.#sessionId}: `;
    const cause = continuation === undefined ? 'a new context' : `restart (continuation #${continuation})`;
    this.#logger.debug(`${of}resetting context usage for ${cause}`, { continuation });
    this.#inputTokens = 0;
    this.#outputTokens = 0;
    this.#cacheReadTokens = 0;
    this.#mayEnable = true;
  }

  /** A main turn came without usage: pressure reads 0 and turns are not added until a later context. */
  disableTracking(): void {
    this.#state = TRACKING_DISABLED;
    this.#mayEnable = false;
  }

  /**
   * A main turn with usage came. Enables tracking again if it was off and a boundary (`reset`) came since,
   * unless a turn without usage came before this one in the new context.
   * @returns whether this call enabled it.
   */
  enableTracking(): boolean {
    if (this.isTrackingEnabled() || !this.#mayEnable) return false;
    this.#state = 'enabled';
    return true;
  }

  /**
   * (input + output) / limit, 0.0 to ∞ and never clamped: above 1 the limit was overshot. Cache reads play no
   * part. 0 while tracking is disabled, and where the limit is 0 or less.
   * @param limit the context window, tokens.
   */
  pressureRatio(limit: number): number {
    if (!this.isTrackingEnabled() || !(limit > 0)) return 0;
    return this.usedTokens / limit;
  }
}
