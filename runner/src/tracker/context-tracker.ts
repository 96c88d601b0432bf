/**
 * Owns the state of one conversation's context: its messages, their tokens, the sum, and its
 * subscribers. Every method is synchronous, so no other caller in the process ever sees a partial change; an
 * asynchronous counter needs a `SharedContextTracker`. Nothing is shared between processes or
 * worker threads.
 *
 * It counts by itself. The vendor's own numbers are better where known: pass them with the
 * message (`tokens`) or the turn (`contextTokens`).
 */
import type { Composition } from '../../../core/protocol/items';
import { guard, guardLogger } from '../guard';
import { type Logger, silentLogger } from '../logger';
import {
  type CompressionPlan,
  type CompressionSuggestion,
  type ContextEntry,
  planCompression,
  suggestCompression,
  type ToolPairs,
} from './compress-context';
import { EventEmitter, type EventStream, type TrackerEvent, type TrackerListener } from './event-emitter';
import { describeMessage } from './read-message';
import { composeContext, type ReadingReport, type TrackerSession, type TurnReport } from './report-context';
import {
  type ContextState,
  isConcerning,
  needsReset,
  reaches,
  resolveTrackerConfig,
  type TrackerConfig,
  tokensAtPercent,
  UsageSnapshot,
} from './tracker-config';
import {
  type AddOptions,
  type CompressionResult,
  type ContextTrackerOptions,
  checkOptions,
  checkTargetPercent,
  checkTokens,
  DEFAULT_TARGET_PERCENT,
  estimatingCounter,
  refuseUnknownOptions,
  resolveAutoCompress,
  type TokenCounter,
} from './tracker-options';

/**
 * The context of one conversation, message by message: how full it is, what it is made of, what could be taken out.
 * Every method is synchronous. The vendor's own numbers are better where known.
 */
export class ContextTracker<M extends object = object> {
  /** The context window, tokens. */
  readonly maxTokens: number;
  /** Where states and lines lie, percent: the owner's, and defaults. */
  readonly config: Readonly<TrackerConfig>;
  readonly #counter: TokenCounter<M>;
  readonly #autoCompressTarget: number | null;
  readonly #toolPairs: ToolPairs;
  readonly #historyLimit: number;
  readonly #session: TrackerSession | undefined;
  readonly #chain: { chain?: string };
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #emitter: EventEmitter;

  #entries: ContextEntry<M>[] = [];
  #tokens = 0;
  #history: UsageSnapshot[] = [];
  /** What the next change is compared with. */
  #lastState: ContextState = 'nominal';
  #isPastRedline = false;

  /**
   * @throws RangeError where an option is out of range, UnknownSettingError where there is no such option; the
   * sentence names it.
   */
  constructor(options: ContextTrackerOptions<M>) {
    refuseUnknownOptions(options);
    const { maxTokens, toolPairs, historyLimit } = checkOptions(options);
    this.maxTokens = maxTokens;
    this.config = Object.freeze(resolveTrackerConfig(options.config));
    this.#counter = options.counter ?? estimatingCounter;
    this.#autoCompressTarget = resolveAutoCompress(options.autoCompress, this.config.autoCompressPercent);
    this.#toolPairs = toolPairs;
    this.#historyLimit = historyLimit;
    this.#session = options.session;
    this.#chain = options.chain === undefined ? {} : { chain: options.chain };
    this.#logger = guardLogger(options.logger ?? silentLogger);
    this.#now = options.now ?? Date.now;
    this.#emitter = new EventEmitter(this.#logger);
    for (const message of options.messages ?? []) this.addMessage(message);
  }

  /**
   * Adds a message at the end. Where automatic compression is on and the compress line is reached, it follows.
   * @returns the usage after it all.
   * @throws TypeError when the message is no object; RangeError when its tokens are no whole number from 0, or
   * the sum would pass 2^53−1. Nothing is added then.
   */
  addMessage(message: M, known: AddOptions = {}): UsageSnapshot {
    if (typeof message !== 'object' || message === null) throw new TypeError('a message must be an object');
    const isKnown = known.tokens !== undefined;
    const tokens = checkTokens(isKnown ? known.tokens : this.#counter.countMessage(message));
    const isExact = isKnown ? (known.isExact ?? true) : this.#counter.isExact === true;
    if (!Number.isSafeInteger(this.#tokens + tokens)) {
      throw new RangeError('the sum of the context would pass 2^53−1 tokens');
    }
    this.#entries.push({ message, tokens, estimated: !isExact, traits: describeMessage(message) });
    this.#tokens += tokens;

    const usage = this.currentUsage();
    this.#remember(usage);
    this.#logger.debug('Added message to context', {
      tokensAdded: tokens,
      total: usage.tokensUsed,
      state: usage.state,
    });
    if (isConcerning(usage.state)) {
      const usagePercent = `${usage.usagePercent.toFixed(1)}%`;
      this.#logger.warn('Context usage is concerning', { usagePercent, state: usage.state });
    }
    this.#emitter.emit(this.#noteChange(usage));
    this.#compressWhereDue();
    return this.currentUsage();
  }

  /** The messages in the context, oldest first: those handed in, in a list of its own. */
  messages(): M[] {
    return this.#entries.map(({ message }) => message);
  }

  /** Messages in the context. */
  messageCount(): number {
    return this.#entries.length;
  }

  /** How full the context is at this moment. */
  currentUsage(): UsageSnapshot {
    return new UsageSnapshot(this.#tokens, this.maxTokens, this.config, this.#now());
  }

  /** The state of the current usage. */
  state(): ContextState {
    return this.currentUsage().state;
  }

  /** Whether the window is full or overshot: the conversation needs a reset. */
  isRedlined(): boolean {
    return needsReset(this.state());
  }

  /** One snapshot after each added message, oldest first, across clears; the newest `historyLimit` of them. */
  history(): UsageSnapshot[] {
    return [...this.#history];
  }

  /**
   * Empties the context: the next message begins a new one, compared with nominal.
   * @returns the tokens cleared.
   */
  clear(): number {
    const tokensCleared = this.#tokens;
    this.#logger.info('Clearing context', { tokensCleared, messages: this.#entries.length });
    this.#entries = [];
    this.#tokens = 0;
    this.#lastState = 'nominal';
    this.#isPastRedline = false;
    this.#report((session) => session.clear({ ...this.#chain, tokensCleared }));
    this.#emitter.emit([{ type: 'cleared', tokensCleared }]);
    return tokensCleared;
  }

  /**
   * Removes the oldest messages until at most floor(percent × maxTokens) tokens are left. System messages stay
   * wherever they are, and so does one message whatever the target.
   * @throws RangeError unless the percentage is a number of at least 0.
   */
  compressToThreshold(targetPercent: number): CompressionResult {
    const { removed, tokensRemoved } = this.#plan(checkTargetPercent(targetPercent));
    const tokensBefore = this.#tokens;
    if (removed.size === 0) return { tokensBefore, tokensAfter: tokensBefore, removed: 0 };

    this.#entries = this.#entries.filter((_, index) => !removed.has(index));
    this.#tokens -= tokensRemoved;
    const result = { tokensBefore, tokensAfter: this.#tokens, removed: removed.size };
    this.#logger.info('Compressed context', {
      messagesRemoved: result.removed,
      newTokens: result.tokensAfter,
      target: this.#targetTokens(targetPercent),
    });
    const { tokensAfter: after } = result;
    this.#report((session) =>
      session.compress({ ...this.#chain, before: tokensBefore, after, removed: removed.size }),
    );
    this.#emitter.emit([{ type: 'compressed', ...result }, ...this.#noteChange(this.currentUsage())]);
    return result;
  }

  /** What could be taken out of the context, the least harmful first. */
  compressionSuggestions(): CompressionSuggestion[] {
    return suggestCompression(this.#entries, this.maxTokens);
  }

  /**
   * What the context is made of, as it travels with a turn: counts by role, suggestions, and what compressing
   * to the target would remove. Changes nothing.
   * @throws RangeError unless the target is a percentage from 0 to 100.
   */
  composition(targetPercent: number = DEFAULT_TARGET_PERCENT): Composition {
    const plan = this.#plan(checkTargetPercent(targetPercent, 100));
    return composeContext(this.#entries, this.maxTokens, targetPercent, plan);
  }

  /**
   * Reports a main call to the session: the vendor's usage, the context's size after it, and its
   * make-up. Without a session it does nothing. Call it once the answer is added.
   * @throws RangeError unless `targetPercent` is a percentage from 0 to 100.
   */
  reportTurn(report: TurnReport = {}): void {
    const { usage = null, targetPercent, contextTokens, basis, ...rest } = report;
    const composition = this.composition(targetPercent);
    const size =
      contextTokens === undefined ? this.#ownReading() : { contextTokens, ...(basis ? { basis } : {}) };
    this.#report((session) =>
      session.turn({ ...this.#chain, ...rest, usage, ...this.#limit(), ...size, composition }),
    );
  }

  /** Reports the context's size alone, as between calls. Without a session it does nothing. */
  reportReading(report: ReadingReport = {}): void {
    this.#report((session) =>
      session.reading({ ...this.#chain, ...report, ...this.#limit(), ...this.#ownReading() }),
    );
  }

  /** Calls the listener with every event, at once. @returns what unsubscribes it. */
  subscribe(listener: TrackerListener): () => void {
    return this.#emitter.subscribe(listener);
  }

  /**
   * The events from now on, for `for await`. Each call makes a subscriber with a buffer of its own (default 100
   * events): one that is too slow loses the oldest and reads `{type: 'lagged', lost}` in their place.
   */
  events(options: { bufferSize?: number | undefined } = {}): EventStream {
    return this.#emitter.events(options.bufferSize);
  }

  /** Lets the subscribers go: iterators end once they have read what is buffered. The tracker still works. */
  close(): void {
    this.#emitter.close();
  }

  #compressWhereDue(): void {
    if (this.#autoCompressTarget === null || this.config.autoCompressPercent > 100) return;
    if (!reaches(this.#tokens, this.maxTokens, this.config.autoCompressPercent)) return;
    this.compressToThreshold(this.#autoCompressTarget);
  }

  /** Update the state for the next comparison before any event is emitted. */
  #noteChange(usage: UsageSnapshot): TrackerEvent[] {
    const from = this.#lastState;
    const { state: to, usagePercent, tokensUsed, maxTokens } = usage;
    const wasPast = this.#isPastRedline;
    const isPast =
      this.config.redlinePercent <= 100 && reaches(tokensUsed, maxTokens, this.config.redlinePercent);
    this.#lastState = to;
    this.#isPastRedline = isPast;
    const events: TrackerEvent[] = [];
    if (to !== from) events.push({ type: 'state_changed', from, to, usagePercent });
    if (isPast && !wasPast) events.push({ type: 'approaching_redline', usagePercent });
    if (to === 'redlined' && from !== 'redlined') events.push({ type: 'redlined', tokensUsed, maxTokens });
    return events;
  }

  #remember(usage: UsageSnapshot): void {
    this.#history.push(usage);
    if (this.#history.length > this.#historyLimit) this.#history.shift();
  }

  #targetTokens(percent: number): number {
    // Without a limit usage reads 0 %, which is below every target.
    return this.maxTokens <= 0 ? Number.POSITIVE_INFINITY : tokensAtPercent(percent, this.maxTokens);
  }

  #plan(targetPercent: number): CompressionPlan {
    return planCompression(this.#entries, this.#targetTokens(targetPercent), this.#toolPairs);
  }

  #ownReading(): { contextTokens: number; basis: 'estimate' | 'total' } {
    const isExact =
      this.#entries.length === 0 ? this.#counter.isExact : !this.#entries.some((e) => e.estimated);
    return { contextTokens: this.#tokens, basis: isExact === true ? 'total' : 'estimate' };
  }

  #limit(): { limit?: number } {
    return this.maxTokens > 0 ? { limit: this.maxTokens } : {};
  }

  #report(send: (session: TrackerSession) => unknown): void {
    const session = this.#session;
    if (session === undefined) return;
    guard(
      () => send(session),
      (error) => this.#logger.error('The context could not be reported', { error }),
    );
  }
}
