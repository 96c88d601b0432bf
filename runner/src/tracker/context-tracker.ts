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
  planCompression,
  suggestCompression,
  type ToolPairs,
} from './compress-context';
import { ContextContents } from './context-contents';
import { EventEmitter, type EventStream, type TrackerEvent, type TrackerListener } from './event-emitter';
import { composeContext, type ReadingReport, type TrackerSession, type TurnReport } from './report-context';
import { checkTokens, estimatingCounter, type TokenCounter } from './token-counter';
import {
  type ContextState,
  isConcerning,
  linesOf,
  needsReset,
  percentLine,
  reaches,
  resolveTrackerConfig,
  type TrackerConfig,
  type TrackerLines,
  tokensAtLine,
} from './tracker-config';
import {
  type AddOptions,
  type CompressionResult,
  type ContextTrackerOptions,
  checkHistoryLimit,
  checkMaxTokens,
  checkTargetPercent,
  checkToolPairs,
  DEFAULT_TARGET_PERCENT,
  refuseUnknownOptions,
  resolveAutoCompress,
} from './tracker-options';
import { UsageSnapshot } from './usage-snapshot';

/**
 * The context of one conversation, message by message: how full it is, what it is made of, what could be taken out.
 * Every method is synchronous. The vendor's own numbers are better where known.
 */
export class ContextTracker<M extends object = object> {
  /** The context window, tokens. */
  readonly maxTokens: number;
  /** Where states and lines lie, percent: the owner's, and defaults. */
  readonly config: Readonly<TrackerConfig>;
  readonly #lines: TrackerLines;
  readonly #counter: TokenCounter<M>;
  readonly #autoCompressTarget: number | null;
  readonly #toolPairs: ToolPairs;
  readonly #historyLimit: number;
  readonly #session: TrackerSession | undefined;
  readonly #chain: { chain?: string };
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #emitter: EventEmitter;

  readonly #contents = new ContextContents<M>();
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
    this.maxTokens = checkMaxTokens(options.maxTokens);
    this.config = Object.freeze(resolveTrackerConfig(options.config));
    this.#lines = linesOf(this.config);
    this.#counter = options.counter ?? estimatingCounter;
    this.#autoCompressTarget = resolveAutoCompress(options.autoCompress, this.config);
    this.#toolPairs = checkToolPairs(options.toolPairs);
    this.#historyLimit = checkHistoryLimit(options.historyLimit);
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
    this.#contents.add(message, tokens, !isExact, this.#now());

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
    return this.#contents.entries.map(({ message }) => message);
  }

  /** Messages in the context. */
  messageCount(): number {
    return this.#contents.entries.length;
  }

  /** How full the context is at this moment. */
  currentUsage(): UsageSnapshot {
    return new UsageSnapshot(this.#contents.tokens, this.maxTokens, this.#lines, this.#now());
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
    const tokensCleared = this.#contents.tokens;
    this.#logger.info('Clearing context', { tokensCleared, messages: this.#contents.entries.length });
    this.#contents.clear();
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
    const { removed } = this.#plan(checkTargetPercent(targetPercent));
    const tokensBefore = this.#contents.tokens;
    if (removed.size === 0) return { tokensBefore, tokensAfter: tokensBefore, removed: 0 };

    this.#contents.remove(removed);
    const result = { tokensBefore, tokensAfter: this.#contents.tokens, removed: removed.size };
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
    return suggestCompression(this.#contents.entries, this.maxTokens);
  }

  /**
   * What the context is made of, as it travels with a turn: counts by role, suggestions, and what compressing
   * to the target would remove. Changes nothing.
   * @throws RangeError unless the target is a percentage from 0 to 100.
   */
  composition(targetPercent: number = DEFAULT_TARGET_PERCENT): Composition {
    const plan = this.#plan(checkTargetPercent(targetPercent, 100));
    return composeContext(this.#contents.entries, this.maxTokens, targetPercent, plan);
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
    if (!reaches(this.#contents.tokens, this.maxTokens, this.#lines.autoCompress)) return;
    this.compressToThreshold(this.#autoCompressTarget);
  }

  /** Update the state for the next comparison before any event is emitted. */
  #noteChange(usage: UsageSnapshot): TrackerEvent[] {
    const from = this.#lastState;
    const { state: to, usagePercent, tokensUsed, maxTokens } = usage;
    const wasPast = this.#isPastRedline;
    const isPast = this.config.redlinePercent <= 100 && reaches(tokensUsed, maxTokens, this.#lines.redline);
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
    return this.maxTokens <= 0
      ? Number.POSITIVE_INFINITY
      : tokensAtLine(percentLine(percent), this.maxTokens);
  }

  #plan(targetPercent: number): CompressionPlan {
    return planCompression(this.#contents.entries, this.#targetTokens(targetPercent), this.#toolPairs);
  }

  #ownReading(): { contextTokens: number; basis: 'estimate' | 'total' } {
    const { entries, tokens, estimated } = this.#contents;
    const isExact = entries.length === 0 ? this.#counter.isExact === true : estimated === 0;
    return { contextTokens: tokens, basis: isExact ? 'total' : 'estimate' };
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
