/**
 * Owns the context of one conversation: its messages, their tokens, the sum, and the subscribers. Every method is
 * synchronous, so no caller sees a partial change. An asynchronous counter needs a `SharedContextTracker`. Processes
 * and worker threads cannot share a tracker.
 */

import { tokensAt } from '../../../core/accounting/state';
import { isNever } from '../../../core/accounting/thresholds';
import type { Thresholds } from '../../../core/accounting/types';
import type { ContextComposition } from '../client/client-types';
import { createLensDeclaration, createReport, guardLogger } from '../guard';
import type { Logger } from '../logger';
import { hintRenamed, shareOfPercent } from '../old-names';
import { showFigures } from '../show-figures';
import { formatPercent } from '../usage/context-usage';
import { statedOf } from '../usage/read-field';
import { shareCalls } from '../usage/shared-calls';
import {
  type CompressionPlan,
  type CompressionSuggestion,
  type ContextEntry,
  composeContext,
  planCompression,
  suggestCompression,
} from './compress-context';
import { EventEmitter, type EventStream, type TrackerEvent, type TrackerListener } from './event-emitter';
import {
  type OldTrackerOptions,
  type OldTurnReport,
  readByOldEventNames,
  takeOldOptions,
  takeOldReport,
  takeOldTarget,
} from './old-tracker-names';
import { describeMessage } from './read-message';
import {
  type AddOptions,
  type CompressionResult,
  type ContextState,
  type ContextTrackerOptions,
  checkOptions,
  checkTarget,
  checkTokens,
  DEFAULT_TARGET,
  estimatingCounter,
  isConcerning,
  needsReset,
  type ReadingReport,
  reaches,
  resolveAutoCompress,
  resolveTrackerThresholds,
  type TokenCounter,
  type TrackerSession,
  type TurnReport,
  UsageSnapshot,
} from './tracker-options';

/**
 * The context of one conversation, message by message: how full the context is, what it contains, and what could be
 * removed. Every method is synchronous. Prefer the vendor's own numbers: pass them with the message (`tokens`) or the
 * turn (`contextTokens`).
 */
export class ContextTracker<M extends object = object> {
  /** The context window, tokens. */
  readonly limit: number;
  /** Bounds of the states and lines, shares of the limit: your values, and defaults for the others. */
  readonly thresholds: Readonly<Thresholds>;
  readonly #options: ReturnType<typeof checkOptions<M>>;
  readonly #counter: TokenCounter<M>;
  /** Null: automatic compression is off. */
  readonly #autoCompressTarget: number | null;
  readonly #logger: Logger;
  readonly #report: (send: (session: TrackerSession) => unknown) => void;
  readonly #share: ReturnType<typeof shareCalls>;
  readonly #declareLens: ReturnType<typeof createLensDeclaration>;
  readonly #emitter: EventEmitter;

  #entries: ContextEntry<M>[] = [];
  #tokens = 0;
  /** Whether the sum is the provider's, without later estimates. Null: the provider never stated a size. */
  #isStated: boolean | null = null;
  #history: UsageSnapshot[] = [];
  /** State after the last change, for comparison with the next one. */
  #lastState: ContextState = 'nominal';
  #isPastRedline = false;

  /**
   * @throws RangeError for an option out of range, UnknownSettingError for an unknown option; the message names it.
   */
  constructor(given: ContextTrackerOptions<M> | OldTrackerOptions<M>) {
    const options = takeOldOptions<ContextTrackerOptions<M>>(given);
    this.#options = checkOptions(options);
    this.limit = options.limit;
    this.thresholds = Object.freeze(resolveTrackerThresholds(options.thresholds));
    this.#counter = options.counter ?? estimatingCounter;
    this.#autoCompressTarget = resolveAutoCompress(options.autoCompress, this.thresholds.compressLine);
    this.#logger = guardLogger(options.logger);
    this.#report = createReport(options.session, this.#logger, 'The context could not be reported');
    this.#share = shareCalls(options.session, 'tracker');
    this.#declareLens = createLensDeclaration(this.#report, options.chain);
    this.#emitter = new EventEmitter(this.#logger);
    showFigures(this);
    for (const message of options.messages ?? []) this.addMessage(message);
  }

  /**
   * Adds a message at the end, then compresses if automatic compression is on and the compress line is reached. The
   * compression keeps the new message.
   * @returns the usage afterwards.
   * @throws TypeError if the message is not an object; RangeError if its tokens are not a whole number from 0, or if
   * the sum would exceed 2^53−1. In both cases nothing is added.
   */
  addMessage(message: M, known: AddOptions = {}): UsageSnapshot {
    if (typeof message !== 'object' || message === null) throw new TypeError('a message must be an object');
    const isKnown = known.tokens !== undefined;
    const tokens = checkTokens(isKnown ? known.tokens : this.#counter.countMessage(message));
    const isExact = isKnown ? (known.isExact ?? true) : this.#counter.isExact === true;
    if (!Number.isSafeInteger(this.#tokens + tokens)) {
      throw new RangeError('the sum of the context would pass 2^53−1 tokens');
    }
    if (!isExact && this.#isStated) this.#isStated = false;
    this.#entries.push({ message, tokens, estimated: !isExact, traits: describeMessage(message) });
    this.#tokens += tokens;

    const usage = this.currentUsage();
    const { state } = usage;
    this.#history.push(usage);
    if (this.#history.length > this.#options.historyLimit) this.#history.shift();
    this.#logger.debug('Added message to context', { tokensAdded: tokens, total: this.#tokens, state });
    if (isConcerning(state)) {
      const pressure = formatPercent(usage.pressure);
      this.#logger.warn('Context usage is concerning', { pressure, state });
    }
    this.#emitter.emit(this.#noteChange(usage));
    const target = this.#autoCompressTarget;
    if (target !== null && reaches(this.#tokens, this.limit, this.thresholds.compressLine)) {
      this.#compress(target, true);
    }
    return this.currentUsage();
  }

  /** The usage of the context, for `JSON.stringify` and logs; no messages. */
  toJSON(): UsageSnapshot {
    return this.currentUsage();
  }

  /** The messages in the context, oldest first, in a new list. */
  messages(): M[] {
    return this.#entries.map(({ message }) => message);
  }

  /** Number of messages in the context. */
  messageCount(): number {
    return this.#entries.length;
  }

  /** How full the context is now. */
  currentUsage(): UsageSnapshot {
    const { now = Date.now } = this.#options;
    return new UsageSnapshot(this.#tokens, this.limit, this.thresholds, now());
  }

  /** The state of the current usage. */
  state(): ContextState {
    return this.currentUsage().state;
  }

  /** Whether the window is full or exceeded: the conversation needs a reset. */
  isRedlined(): boolean {
    return needsReset(this.state());
  }

  /** The newest `historyLimit` snapshots, oldest first: one per added message. Clearing keeps them. */
  history(): UsageSnapshot[] {
    return [...this.#history];
  }

  /**
   * Empties the context. The next message starts a new context, and changes of state start again from `nominal`.
   * @returns the tokens cleared.
   */
  clear(): number {
    const tokensCleared = this.#tokens;
    this.#logger.info('Clearing context', { tokensCleared, messages: this.#entries.length });
    this.#entries = [];
    this.#tokens = 0;
    this.#isStated = null;
    this.#lastState = 'nominal';
    this.#isPastRedline = false;
    this.#report((session) => session.clear({ ...this.#place, tokensCleared }));
    this.#emitter.emit([{ type: 'cleared', tokensCleared }]);
    return tokensCleared;
  }

  /**
   * Removes the oldest messages until at most floor(target × limit) tokens are left. System messages and at least one
   * message stay.
   * @param target a share of the limit.
   * @throws RangeError unless the target is a number of at least 0.
   */
  compressTo(target: number): CompressionResult {
    return this.#compress(checkTarget(target));
  }

  /** @deprecated Use `compressTo`, which takes a share. @hidden */
  compressToThreshold(percent: number): CompressionResult {
    hintRenamed('ContextTracker', 'compressToThreshold(percent)', 'compressTo(share)');
    return this.compressTo(shareOfPercent(percent) as number);
  }

  /** @deprecated Use `limit`. @hidden */
  get maxTokens(): number {
    hintRenamed('ContextTracker', 'maxTokens', 'limit');
    return this.limit;
  }

  #compress(target: number, keepsNewest = false): CompressionResult {
    const { removed, tokensRemoved } = this.#plan(target, keepsNewest);
    const before = this.#tokens;
    const after = Math.max(0, before - tokensRemoved);
    const result = { tokensBefore: before, tokensAfter: after, removed: removed.size };
    if (removed.size === 0) return result;

    const isEstimated = this.#entries.some(({ estimated }, index) => estimated && removed.has(index));
    if (isEstimated && this.#isStated) this.#isStated = false;
    this.#entries = this.#entries.filter((_, index) => !removed.has(index));
    this.#tokens = after;
    this.#logger.info('Compressed context', {
      messagesRemoved: removed.size,
      newTokens: after,
      target: this.#targetTokens(target),
    });
    this.#report((session) => session.compress({ ...this.#place, before, after, removed: removed.size }));
    this.#emitter.emit([{ type: 'compressed', ...result }, ...this.#noteChange(this.currentUsage())]);
    return result;
  }

  /** What could be removed from the context, the lowest impact first. */
  compressionSuggestions(): CompressionSuggestion[] {
    return suggestCompression(this.#entries, this.limit);
  }

  /**
   * What the context contains, as a turn reports it: counts by role, suggestions, and what compressing to the target
   * would remove. Changes nothing.
   * @param options each has a default.
   * @param options.target a share of the limit. Default 0.5.
   * @throws RangeError unless the target is a share from 0 to 1.
   */
  composition(options?: { target?: number | undefined }): ContextComposition;
  /** @deprecated Use `{ target }`, a share. @hidden */
  composition(targetPercent: number): ContextComposition;
  composition(options: { target?: number | undefined } | number = {}): ContextComposition {
    const { target = DEFAULT_TARGET } = takeOldTarget(options);
    const plan = this.#plan(checkTarget(target, 1));
    return composeContext(this.#entries, this.limit, target, { ...plan, tokens: this.#tokens });
  }

  /**
   * Reports a main call to the session: the vendor's usage, and the context's size and composition after the call. Add
   * the answer first. A size from the provider (`contextTokens` with the basis `total`, which is the default) replaces
   * the tracker's own sum, with or without a session: the states, lines and events then use it.
   * @throws RangeError unless `target` is a share from 0 to 1.
   */
  reportTurn(report?: TurnReport): void;
  /** @deprecated Use `target` and the new names of the counts. @hidden */
  reportTurn(report: OldTurnReport): void;
  reportTurn(report: TurnReport | OldTurnReport = {}): void {
    const { usage = null, target, contextTokens, basis, ...rest } = takeOldReport(report);
    checkTarget(target ?? DEFAULT_TARGET, 1);
    if (contextTokens !== undefined && (basis ?? 'total') === 'total') this.#correct(contextTokens);
    const composition = this.composition({ target });
    const size = contextTokens === undefined ? this.#ownReading() : { contextTokens, ...statedOf({ basis }) };
    this.#declareLens('snapshot');
    const turn = this.#share({ ...this.#place, ...rest, usage, limit: this.limit, ...size, composition });
    if (turn !== null) this.#report((session) => session.turn(turn));
  }

  /** Reports only the context's size, for example between calls. Does nothing without a session. */
  reportReading(report: ReadingReport = {}): void {
    const reading = { ...this.#place, ...report, limit: this.limit, ...this.#ownReading() };
    this.#declareLens('snapshot');
    this.#report((session) => session.reading(reading));
  }

  /** Calls the listener synchronously with every event. @returns a function that unsubscribes the listener. */
  subscribe(listener: TrackerListener): () => void {
    return this.#emitter.subscribe(listener);
  }

  /**
   * The events from now on, for `for await`. Each call creates a subscriber with its own buffer (default 100 events). A
   * slow subscriber loses the oldest events and reads `{type: 'lagged', lost}` instead.
   */
  events(options: { bufferSize?: number | undefined } = {}): EventStream {
    return this.#emitter.events(options.bufferSize);
  }

  /** Releases the subscribers: iterators end after their buffered events. The tracker still works. */
  close(): void {
    this.#emitter.close();
  }

  /** Take the provider's size. Reduce the estimates if their sum is higher; else the rest belongs to no message. */
  #correct(stated: number): void {
    if (!Number.isSafeInteger(stated) || stated < 0) return;
    const share = Math.min(1, stated / this.#tokens);
    this.#entries = this.#entries.map((entry) =>
      entry.estimated && share < 1 ? { ...entry, tokens: Math.floor(entry.tokens * share) } : entry,
    );
    this.#tokens = stated;
    this.#isStated = true;
    this.#emitter.emit(this.#noteChange(this.currentUsage()));
  }

  /** Update the state for the next comparison before any event is emitted. */
  #noteChange(usage: UsageSnapshot): TrackerEvent[] {
    const from = this.#lastState;
    const { state: to, pressure, contextTokens, limit } = usage;
    const { restartLine } = this.thresholds;
    const wasPast = this.#isPastRedline;
    const isPast = !isNever(restartLine) && reaches(contextTokens, limit, restartLine);
    this.#lastState = to;
    this.#isPastRedline = isPast;
    const events: TrackerEvent[] = [];
    if (to !== from) events.push({ type: 'state_changed', from, to, pressure });
    if (isPast && !wasPast) events.push({ type: 'approaching_redline', pressure });
    if (to === 'redlined' && from !== 'redlined') events.push({ type: 'redlined', contextTokens, limit });
    return events.map(readByOldEventNames);
  }

  #targetTokens(target: number): number {
    return tokensAt(target, this.limit);
  }

  #plan(target: number, keepsNewest = false): CompressionPlan {
    // Compression cannot remove tokens that belong to no message, such as tool definitions.
    const unexplained = this.#tokens - this.#entries.reduce((sum, { tokens }) => sum + tokens, 0);
    const most = this.#targetTokens(target) - unexplained;
    return planCompression(this.#entries, most, this.#options.toolPairs, keepsNewest);
  }

  #ownReading(): { contextTokens: number; basis: 'estimate' | 'total' } {
    const isExact =
      this.#isStated ??
      (this.#entries.length === 0
        ? this.#counter.isExact === true
        : !this.#entries.some(({ estimated }) => estimated));
    return { contextTokens: this.#tokens, basis: isExact ? 'total' : 'estimate' };
  }

  get #place() {
    return statedOf({ chain: this.#options.chain });
  }
}
