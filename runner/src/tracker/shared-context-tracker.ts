/**
 * A context tracker for concurrent callers, with a counter that may be asynchronous. Owns the order of their calls: each
 * call starts when all earlier calls have ended, so messages keep the order of the calls and no caller sees a partial
 * change. Counting is therefore serial. A counter that never answers blocks all later calls: give it a timeout, or pass
 * `tokens`. A counter must not wait for the same tracker.
 */
import type { Composition } from '../../../core/protocol/items';
import { refuseUnknownSettings } from '../../../core/settings/refuse-unknown-settings';
import type { CompressionSuggestion } from './compress-context';
import { ContextTracker } from './context-tracker';
import type { EventStream, TrackerListener } from './event-emitter';
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

/** As for `ContextTracker`, with a counter that may return promises. Messages are added one by one. */
export interface SharedContextTrackerOptions<M extends object = object>
  extends Omit<ContextTrackerOptions<M>, 'counter' | 'messages'> {
  counter?: AsyncTokenCounter<M> | undefined;
}

/**
 * A `ContextTracker` for concurrent callers, with a counter that may be asynchronous. Each call starts when all earlier
 * calls have ended.
 */
export class SharedContextTracker<M extends object = object> {
  readonly #tracker: ContextTracker<M>;
  readonly #counter: AsyncTokenCounter<M>;
  /** Settles when the last call has ended; never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  /** @throws as `ContextTracker` does, and for `messages`: a constructor cannot wait for the counter. */
  constructor(options: SharedContextTrackerOptions<M>) {
    refuseUnknownSettings(
      options,
      OPTION_NAMES.filter((name) => name !== 'messages'),
    );
    const { counter = estimatingCounter, ...rest } = options;
    this.#counter = counter;
    this.#tracker = new ContextTracker<M>(rest);
  }

  /** Rejects as `ContextTracker.addMessage` throws, or as the counter does; then nothing is added. */
  addMessage(message: M, known: AddOptions = {}): Promise<UsageSnapshot> {
    return this.#inTurn(async () => {
      if (known.tokens !== undefined) return this.#tracker.addMessage(message, known);
      const tokens = await this.#counter.countMessage(message);
      return this.#tracker.addMessage(message, { tokens, isExact: this.#counter.isExact === true });
    });
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
  /** As `ContextTracker.compressToThreshold`; rejects where that throws. */
  readonly compressToThreshold = (targetPercent: number): Promise<CompressionResult> =>
    this.#inTurn(() => this.#tracker.compressToThreshold(targetPercent));
  /** As `ContextTracker.compressionSuggestions`. */
  readonly compressionSuggestions = (): Promise<CompressionSuggestion[]> =>
    this.#inTurn(() => this.#tracker.compressionSuggestions());
  /** As `ContextTracker.composition`; rejects where that throws. */
  readonly composition = (targetPercent?: number): Promise<Composition> =>
    this.#inTurn(() => this.#tracker.composition(targetPercent));
  /** As `ContextTracker.reportTurn`; rejects where that throws. */
  readonly reportTurn = (report?: TurnReport): Promise<void> =>
    this.#inTurn(() => this.#tracker.reportTurn(report));
  /** As `ContextTracker.reportReading`. */
  readonly reportReading = (report?: ReadingReport): Promise<void> =>
    this.#inTurn(() => this.#tracker.reportReading(report));

  /** Takes effect at once, as do `events` and `close`: subscribers are not part of the context. */
  readonly subscribe = (listener: TrackerListener): (() => void) => this.#tracker.subscribe(listener);
  /** As `ContextTracker.events`. */
  readonly events = (options?: { bufferSize?: number | undefined }): EventStream =>
    this.#tracker.events(options);
  /** As `ContextTracker.close`. */
  readonly close = (): void => this.#tracker.close();

  #inTurn<T>(action: () => T | Promise<T>): Promise<T> {
    const run = this.#last.then(action);
    this.#last = run.catch(() => undefined);
    return run;
  }
}
