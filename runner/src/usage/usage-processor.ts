/**
 * Takes what an agent reports about its turns, keeps the sums of the context, and raises at the restart
 * threshold. Owns one chain of conversation: sub-agents with a context of their own get a processor each. It is
 * synchronous, so turns count in the order in which they are handed over, and none is half counted. Reports
 * to the server never throw into the agent's work; refused counts and the threshold do.
 */
import { findModelWindow } from '../../../core/accounting/model-table';
import { stateOf } from '../../../core/accounting/state';
import { DEFAULT_THRESHOLDS, isNever } from '../../../core/accounting/thresholds';
import type { PressureState } from '../../../core/accounting/types';
import type { LensName, ReadingBasis } from '../../../core/protocol/items';
import { refuseUnknownSettings } from '../../../core/settings/refuse-unknown-settings';
import { guard, guardLogger } from '../guard';
import { type Logger, silentLogger } from '../logger';
import { ContextPressureError, ContextUsage, formatPercent } from './context-usage';
import { statedOf } from './read-field';
import { type ReadUsageOptions, readUsage, type TurnUsage } from './read-usage';
import { requireSize, UsageCountError } from './usage-count-error';
import { type UsageCounts, wireUsage } from './vendor-shapes';

/** A turn as reported to the server. Deltas in tokens; `usage: null`: the vendor stated none. */
export interface ReportedTurn {
  usage: { input: number; output: number; cacheRead: number; cacheCreation: number } | null;
  call?: string;
  model?: string;
  limit?: number;
  scope?: 'main' | 'side';
  contextTokens?: number;
  basis?: ReadingBasis;
}

/** The part of the client's `RunnerSession` that a usage processor calls. */
export interface UsageSession {
  /** One turn: its reported deltas, null for a turn without usage. */
  turn(fields: ReportedTurn): unknown;
  /** Where it is there, a refused turn is reported: the server's sums become a lower bound. */
  gap?(fields: { count: number; reason: string }): unknown;
}

/** Context window where none is stated, tokens. */
export const DEFAULT_LIMIT = 200_000;
/** Share of the limit at which a context is given up: 180 000 of 200 000 tokens. */
export const DEFAULT_RESTART_THRESHOLD = DEFAULT_THRESHOLDS.restartLine;

const COUNTS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens'] as const;

/** Above it a threshold was hardly meant as a share: 90 for 90 %. */
const HIGHEST_LIKELY_THRESHOLD = 2;

/** Options of a `UsageProcessor`; each has a default. */
export interface UsageProcessorOptions extends ReadUsageOptions {
  /** The sums it keeps; a new one by default. */
  usage?: ContextUsage | undefined;
  /** The context window, tokens. Default: what the client states, else the model's known window, else 200 000. */
  limit?: number | undefined;
  /** Share of the limit at which it raises. Default 0.90; above 1, as in 1.1: never. */
  threshold?: number | undefined;
  /**
   * `cumulative` (default): pressure from the sums of this context's deltas, right where history is not sent
   * again. `snapshot`: from the last reading, right for sources that see single calls; each turn must then be
   * one call, or have its `contextTokens`.
   */
  lens?: LensName | undefined;
  sessionId?: string | undefined;
  model?: string | undefined;
  /** The vendor reports totals of its thread instead of deltas (Codex 0.169): each turn is the difference. */
  runningTotals?: boolean | undefined;
  /** Where turns are reported to; without one everything else works the same. */
  session?: UsageSession | undefined;
  logger?: Logger | undefined;
}

const OPTION_NAMES = 'usage limit threshold lens sessionId model runningTotals session logger vendor'.split(
  ' ',
);

/** What is known of a turn beside its usage. */
export interface TurnFacts {
  /** The provider's id of the response. */
  call?: string | undefined;
  sessionId?: string | undefined;
  model?: string | undefined;
  /** The window that the client states with this turn, tokens. */
  limit?: number | undefined;
  /** The context's size after this turn, tokens: replaces the one before it. Snapshot lens: else that of the usage. */
  contextTokens?: number | undefined;
  basis?: ReadingBasis | undefined;
  /** `side`: a call outside of the chain's history (titling, classification). Reported, in no sum. */
  scope?: 'main' | 'side' | undefined;
}

/** State of the context after a turn. Sums in tokens. */
export interface TurnOutcome {
  /** Null: the turn stated no usage. */
  usage: TurnUsage | null;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  limit: number;
  pressureRatio: number;
  state: PressureState;
}

/**
 * Counts the turns of one chain of conversation as they are reported, and raises `ContextPressureError` at the restart
 * threshold. Takes the usage of any vendor; absent usage disables tracking until the next context.
 */
export class UsageProcessor {
  readonly usage: ContextUsage;
  readonly threshold: number;
  readonly lens: LensName;
  sessionId: string;
  readonly #options: UsageProcessorOptions;
  readonly #logger: Logger;
  /** The thread's totals after the last turn, where the vendor states totals. */
  #totals: UsageCounts | null = null;
  #model: string | undefined;
  /** The window that the client stated last, tokens. */
  #stated: number | undefined;
  /** The last reading of this context, tokens. */
  #contextTokens: number | null = null;

  /**
   * @throws RangeError for a limit that is no whole number, a threshold that is no number above 0, or a lens that
   * does not exist; UnknownSettingError for an option that does not exist, naming the nearest one.
   */
  constructor(options: UsageProcessorOptions = {}) {
    refuseUnknownSettings(options, OPTION_NAMES);
    const { threshold = DEFAULT_RESTART_THRESHOLD, limit, lens = 'cumulative' } = options;
    if (!(typeof threshold === 'number' && threshold > 0)) {
      throw new RangeError('"threshold" must be a share of the limit above 0, as in 0.9');
    }
    if (limit !== undefined && !Number.isSafeInteger(limit)) {
      throw new RangeError('"limit" must be a whole number of tokens');
    }
    if (lens !== 'cumulative' && lens !== 'snapshot') {
      throw new RangeError(`"lens" must be cumulative or snapshot, not ${String(lens)}`);
    }
    const logger = guardLogger(options.logger ?? silentLogger);
    this.usage = options.usage ?? new ContextUsage({ sessionId: options.sessionId, logger });
    this.threshold = threshold;
    this.lens = lens;
    this.sessionId = options.sessionId ?? '';
    this.#options = options;
    this.#logger = logger;
    this.#model = options.model;
    if (threshold > HIGHEST_LIKELY_THRESHOLD) {
      logger.warn(
        `"threshold" is a share of the limit: ${threshold} is ${formatPercent(threshold)} of it and never reached`,
      );
    }
  }

  /** The context window in force, tokens: given, else stated by the client, else known of the model, else 200 000. */
  get limit(): number {
    const known = this.#model === undefined ? null : findModelWindow(this.#model);
    return this.#options.limit ?? this.#stated ?? known?.tokens ?? DEFAULT_LIMIT;
  }

  /** Share of the limit in use, 0.0 to ∞; 0 while tracking is disabled, and before the first reading. */
  get pressureRatio(): number {
    if (this.lens === 'cumulative') return this.usage.pressureRatio(this.limit);
    return this.limit > 0 ? (this.#contextTokens ?? 0) / this.limit : 0;
  }

  /** `untracked` and `unknown` are no healthy 0 %. */
  get state(): PressureState {
    if (this.lens === 'snapshot' && this.#contextTokens === null) return 'unknown';
    if (this.lens === 'cumulative' && !this.usage.isTrackingEnabled()) return 'untracked';
    return stateOf(this.pressureRatio, DEFAULT_THRESHOLDS);
  }

  /**
   * Counts one turn.
   * @param message a result message or its usage, in any shape that `readUsage` takes; null: the vendor stated
   * no usage, which disables tracking for the rest of the context.
   * @throws ContextPressureError with the context's sums, where its pressure reaches the threshold.
   * @throws UsageCountError for a count that is no exact whole number or makes a sum inexact, and for a size that
   * is none. The turn is then in no sum.
   */
  process(message: unknown, facts: TurnFacts = {}): TurnOutcome {
    this.note(facts);
    const { contextTokens } = facts;
    this.#orGap(() => requireSize(contextTokens, 'contextTokens'));
    const usage = this.#orGap(() => this.#read(message));
    if (facts.scope !== 'side') this.#count(usage, facts);
    this.#report(usage, facts);
    const outcome = { usage, ...this.#sums(), limit: this.limit, pressureRatio: this.pressureRatio };
    if (facts.scope !== 'side') this.#raiseAtThreshold(outcome.pressureRatio);
    return { ...outcome, state: this.state };
  }

  /** Note the facts of a message besides its usage. */
  note({ sessionId, model, limit }: TurnFacts): void {
    if (sessionId !== undefined) this.sessionId = sessionId;
    if (model !== undefined) this.#model = model;
    if (limit !== undefined && Number.isSafeInteger(limit) && limit > 0) this.#stated = limit;
  }

  /**
   * A new context begins: sums start at 0, and no reading is known.
   * @param options.continuation number of the continuation, from 1: for the log.
   * @param options.sameThread the client compacted its context in place: running totals go on.
   */
  reset(options: { continuation?: number | undefined; sameThread?: boolean | undefined } = {}): void {
    this.usage.reset({ continuation: options.continuation });
    this.#contextTokens = null;
    if (options.sameThread !== true) this.#totals = null;
  }

  #read(message: unknown): TurnUsage | null {
    const usage = readUsage(message, { vendor: this.#options.vendor });
    if (usage === null || this.#options.runningTotals !== true) return usage;
    return { ...usage, ...this.#advance(usage) };
  }

  /** Increase since the last totals, tokens. Totals that fell belong to a new thread and count in full. */
  #advance(totals: UsageCounts): Partial<UsageCounts> {
    const last = this.#totals;
    this.#totals = totals;
    if (last === null || COUNTS.some((count) => totals[count] < last[count])) return {};
    return Object.fromEntries(COUNTS.map((count) => [count, totals[count] - last[count]]));
  }

  #count(usage: TurnUsage | null, facts: TurnFacts): void {
    const { sessionId } = this;
    this.#contextTokens = this.#readingOf(usage, facts) ?? this.#contextTokens;
    if (usage === null) {
      // Once for a context: whoever states no usage does so with every turn.
      const log = this.usage.isTrackingEnabled() ? 'warn' : 'debug';
      this.#logger[log]('A result message has no usage: context tracking disabled', { sessionId });
      this.usage.disableTracking();
      return;
    }
    if (this.usage.enableTracking()) {
      this.#logger.info('Context usage is stated again: tracking enabled', { sessionId });
    }
    this.#orGap(() => this.usage.addTurn(usage));
    const { limit, pressureRatio: pressure } = this;
    const sums = this.#sums();
    this.#logger.debug(
      `Context usage: turn=(${show(usage)}) cumulative=(${show(sums)}) limit=${limit} ` +
        `pressure=${formatPercent(pressure)}`,
      { sessionId, turn: usage, cumulative: sums, limit, pressure },
    );
  }

  #readingOf(usage: TurnUsage | null, { contextTokens }: TurnFacts): number | null {
    if (contextTokens !== undefined) return contextTokens;
    return this.lens === 'snapshot' ? (usage?.contextTokens ?? null) : null;
  }

  #sums() {
    const { inputTokens, outputTokens, cacheReadTokens } = this.usage;
    return { inputTokens, outputTokens, cacheReadTokens };
  }

  #report(usage: TurnUsage | null, facts: TurnFacts): void {
    const limit = this.#options.limit ?? this.#stated;
    const turn: ReportedTurn = {
      usage: usage && wireUsage(usage),
      ...statedOf({
        call: facts.call,
        model: this.#model,
        // What is assumed is not stated: the server assumes for itself, and marks it.
        limit: limit !== undefined && limit >= 0 ? limit : null,
        scope: facts.scope,
        contextTokens: this.#readingOf(usage, facts),
        basis: facts.basis,
      }),
    };
    this.#send((session) => session.turn(turn));
  }

  /** A turn that is refused is missing from the server's sums too: they are a lower bound from here. */
  #orGap<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      if (error instanceof UsageCountError) {
        const reason = `${error.code}: ${error.field}`;
        this.#send((session) => session.gap?.({ count: 1, reason }));
      }
      throw error;
    }
  }

  #send(report: (session: UsageSession) => unknown): void {
    const { session } = this.#options;
    if (session === undefined) return;
    guard(
      () => report(session),
      (error) => this.#logger.warn('A turn could not be reported', { sessionId: this.sessionId, error }),
    );
  }

  #raiseAtThreshold(pressureRatio: number): void {
    if (isNever(this.threshold) || pressureRatio < this.threshold) return;
    throw new ContextPressureError({ sessionId: this.sessionId, ...this.#sums(), pressureRatio });
  }
}

function show(counts: { inputTokens: number; outputTokens: number; cacheReadTokens: number }): string {
  return `input=${counts.inputTokens} output=${counts.outputTokens} cache_read=${counts.cacheReadTokens}`;
}
