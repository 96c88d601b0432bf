/**
 * Owns the order of concurrent calls to a tracker. Each call starts when all earlier calls have ended, so messages keep
 * the order of the calls, and no caller sees a partial change. Messages are therefore counted one by one.
 */

import { refuseUnknownSettings } from '../../../core/settings/refuse-unknown-settings';
import type { ContextComposition } from '../client/client-types';
import { showFigures } from '../show-figures';
import type { CompressionSuggestion } from './compress-context';
import { ContextTracker } from './context-tracker';
import type { EventStream, TrackerListener } from './event-emitter';
import { type OldTrackerOptions, takeOldOptions } from './old-tracker-names';
import type { ContextState, UsageSnapshot } from './tracker-options';
import {
  type AddOptions,
  type AsyncTokenCounter,
  type CompressionResult,
  type ContextTrackerOptions,
  estimatingCounter,
  OPTION_NAMES,
  type ReadingReport,
  type TurnReport,
} from './tracker-options';

/** Longest delay of a Node timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Options as for `ContextTracker`, except that the counter may return promises and `messages` is not allowed. */
export interface SharedContextTrackerOptions<M extends object = object>
  extends Omit<ContextTrackerOptions<M>, 'counter' | 'messages'> {
  /** Counts tokens. Default: an estimate. */
  counter?: AsyncTokenCounter<M> | undefined;
  /** Longest wait for the counter, milliseconds; then the call is rejected. Default 10 000. */
  counterTimeoutMs?: number | undefined;
}

/**
 * A `ContextTracker` for concurrent callers, with a counter that may be asynchronous. Each call starts when all earlier
 * calls have ended. A counter must not wait for the same tracker.
 */
export class SharedContextTracker<M extends object = object> {
  readonly #tracker: ContextTracker<M>;
  readonly #counter: AsyncTokenCounter<M>;
  readonly #counterTimeoutMs: number;
  /** Settles when the last call has ended; never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  /** @throws as `ContextTracker` does. Also refuses `messages`, because a constructor cannot wait for the counter. */
  constructor(given: SharedContextTrackerOptions<M> | OldTrackerOptions<M>) {
    const options = takeOldOptions<SharedContextTrackerOptions<M>>(given);
    const names = OPTION_NAMES.filter((name) => name !== 'messages');
    refuseUnknownSettings(options, [...names, 'counterTimeoutMs']);
    const { counterTimeoutMs = 10_000, ...rest } = options;
    if (!(counterTimeoutMs >= 1 && counterTimeoutMs <= MAX_TIMER_MS)) {
      throw new RangeError(
        `"counterTimeoutMs" must be from 1 to ${MAX_TIMER_MS}, not ${String(counterTimeoutMs)}`,
      );
    }
    this.#counter = options.counter ?? estimatingCounter;
    this.#counterTimeoutMs = counterTimeoutMs;
    this.#tracker = new ContextTracker<M>(rest as ContextTrackerOptions<M>);
    showFigures(this);
  }

  /** As `ContextTracker.addMessage`. Rejects with the error of that method or of the counter; then nothing is added. */
  addMessage(message: M, known: AddOptions = {}): Promise<UsageSnapshot> {
    return this.#inTurn(async () => {
      if (known.tokens !== undefined) return this.#tracker.addMessage(message, known);
      const tokens = await this.#count(message);
      return this.#tracker.addMessage(message, { tokens, isExact: this.#counter.isExact === true });
    });
  }

  /** As `ContextTracker.toJSON`, without the calls that have not ended. */
  toJSON(): UsageSnapshot {
    return this.#tracker.toJSON();
  }

  /** As `ContextTracker.messages`. */
  readonly messages = (): Promise<M[]> => this.#inTurn(() => this.#tracker.messages());
  /** As `ContextTracker.messageCount`. */
  readonly messageCount = (): Promise<number> => this.#inTurn(() => this.#tracker.messageCount());
  /** As `ContextTracker.currentUsage`. */
  readonly currentUsage = (): Promise<UsageSnapshot> => this.#inTurn(() => this.#tracker.currentUsage());
  /** As `ContextTracker.state`. */
  readonly state = (): Promise<ContextState> => this.#inTurn(() => this.#tracker.state());
  /** As `ContextTracker.isRedlined`. */
  readonly isRedlined = (): Promise<boolean> => this.#inTurn(() => this.#tracker.isRedlined());
  /** As `ContextTracker.history`. */
  readonly history = (): Promise<UsageSnapshot[]> => this.#inTurn(() => this.#tracker.history());
  /** As `ContextTracker.clear`. */
  readonly clear = (): Promise<number> => this.#inTurn(() => this.#tracker.clear());
  /** As `ContextTracker.compressTo`. Rejects if that method throws. */
  readonly compressTo = (target: number): Promise<CompressionResult> =>
    this.#inTurn(() => this.#tracker.compressTo(target));
  /** @deprecated Use `compressTo`. @hidden */
  readonly compressToThreshold = (percent: number): Promise<CompressionResult> =>
    this.#inTurn(() => this.#tracker.compressToThreshold(percent));
  /** As `ContextTracker.compressionSuggestions`. */
  readonly compressionSuggestions = (): Promise<CompressionSuggestion[]> =>
    this.#inTurn(() => this.#tracker.compressionSuggestions());
  /** As `ContextTracker.composition`. Rejects if that method throws. */
  readonly composition = (options?: { target?: number | undefined }): Promise<ContextComposition> =>
    this.#inTurn(() => this.#tracker.composition(options));
  /** As `ContextTracker.reportTurn`. Rejects if that method throws. */
  readonly reportTurn = (report?: TurnReport): Promise<void> =>
    this.#inTurn(() => this.#tracker.reportTurn(report));
  /** As `ContextTracker.reportReading`. */
  readonly reportReading = (report?: ReadingReport): Promise<void> =>
    this.#inTurn(() => this.#tracker.reportReading(report));

  /** As `ContextTracker.subscribe`. Like `events` and `close`, it does not wait for earlier calls. */
  readonly subscribe = (listener: TrackerListener): (() => void) => this.#tracker.subscribe(listener);
  /** As `ContextTracker.events`. */
  readonly events = (options?: { bufferSize?: number | undefined }): EventStream =>
    this.#tracker.events(options);
  /** As `ContextTracker.close`. */
  readonly close = (): void => this.#tracker.close();

  async #count(message: M): Promise<number> {
    const limitMs = this.#counterTimeoutMs;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<never>((_, reject) => {
      const fail = () => reject(new Error(`the counter did not answer within ${limitMs} ms`));
      timer = setTimeout(fail, limitMs);
    });
    try {
      return await Promise.race([this.#counter.countMessage(message), timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  #inTurn<T>(action: () => T | Promise<T>): Promise<T> {
    const run = this.#last.then(action);
    this.#last = run.catch(() => undefined);
    return run;
  }
}
