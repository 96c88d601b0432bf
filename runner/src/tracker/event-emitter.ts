import { guard } from '../guard';
import type { Logger } from '../logger';
import type { ContextState } from './tracker-options';

/**
 * Events of a tracker. A rise across several lines emits `state_changed`, `approaching_redline`, `redlined`, in this
 * order; a fall emits only `state_changed`.
 */
export type TrackerEvent =
  | { type: 'state_changed'; from: ContextState; to: ContextState; pressure: number }
  /** The restart line was reached from below. */
  | { type: 'approaching_redline'; pressure: number }
  /** The window is full or exceeded. */
  | { type: 'redlined'; contextTokens: number; limit: number }
  | { type: 'cleared'; tokensCleared: number }
  /** `removed`: number of messages. */
  | { type: 'compressed'; tokensBefore: number; tokensAfter: number; removed: number };

/** What a buffered subscriber reads: events, and the number of events it lost by reading too slowly. */
export type SubscriberEvent = TrackerEvent | { type: 'lagged'; lost: number };

const DEFAULT_BUFFER_SIZE = 100;

type Result = IteratorResult<SubscriberEvent, undefined>;

declare global {
  interface SymbolConstructor {
    /** TypeScript 5.0 and 5.1 do not declare it. */
    readonly asyncDispose: unique symbol;
  }
}

/** The events of a tracker for one subscriber: `for await (const event of stream)`. */
export interface EventStream {
  /** Waits for the next event. Done after the last event of an ended stream. */
  next(): Promise<Result>;
  /** Unsubscribes and drops unread events; `break` in a `for await` loop calls it. */
  return(): Promise<Result>;
  /** Returns the stream itself, for `for await`. */
  [Symbol.asyncIterator](): EventStream;
  /** Calls `return`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Receives each event of a tracker. Its errors are only logged. */
export type TrackerListener = (event: TrackerEvent) => unknown;

const DONE: Result = { done: true, value: undefined };

/** Subscribers of one tracker: listeners, and streams with their own buffers. */
export class EventEmitter {
  /** Keyed by subscription, since one function may subscribe twice. */
  readonly #subscribers = new Map<symbol, { hear: TrackerListener; end(): void }>();
  #pending: TrackerEvent[] = [];
  #isDelivering = false;
  #isClosed = false;

  constructor(private readonly logger: Logger) {}

  /** Deliver the events of one change to all subscribers. Events that a subscriber causes follow afterwards. */
  emit(events: readonly TrackerEvent[]): void {
    // All subscribers get the same object, so it must not change.
    this.#pending.push(...events.map((event) => Object.freeze(event)));
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    for (let next = this.#pending.shift(); next; next = this.#pending.shift()) this.#deliver(next);
    this.#isDelivering = false;
  }

  subscribe(hear: TrackerListener, end: () => void = () => undefined): () => void {
    const key = Symbol('subscription');
    if (this.#isClosed) end();
    else this.#subscribers.set(key, { hear, end });
    return () => {
      this.#subscribers.delete(key);
    };
  }

  /** @throws RangeError unless `bufferSize` is a whole number from 1. */
  events(bufferSize: number = DEFAULT_BUFFER_SIZE): EventStream {
    if (!(Number.isSafeInteger(bufferSize) && bufferSize >= 1)) {
      throw new RangeError('"bufferSize" must be a whole number from 1');
    }
    const waiting: ((result: Result) => void)[] = [];
    let buffer: TrackerEvent[] = [];
    let lost = 0;
    let hasEnded = false;
    const hear = (event: TrackerEvent) => {
      const reader = waiting.shift();
      if (reader) return reader({ done: false, value: event });
      buffer.push(event);
      if (buffer.length <= bufferSize) return;
      buffer.shift();
      lost += 1;
    };
    const end = () => {
      hasEnded = true;
      for (const reader of waiting.splice(0)) reader(DONE);
    };
    const unsubscribe = this.subscribe(hear, end);
    return {
      async next() {
        const value: SubscriberEvent | undefined = lost > 0 ? { type: 'lagged', lost } : buffer.shift();
        lost = 0;
        if (value) return { done: false, value };
        return hasEnded ? DONE : new Promise((resolve) => waiting.push(resolve));
      },
      async return() {
        unsubscribe();
        buffer = [];
        lost = 0;
        end();
        return DONE;
      },
      [Symbol.asyncIterator]() {
        return this;
      },
      async [Symbol.asyncDispose]() {
        await this.return();
      },
    };
  }

  /** Release all subscribers: streams end after their buffered events. */
  close(): void {
    this.#isClosed = true;
    for (const { end } of this.#subscribers.values()) end();
    this.#subscribers.clear();
  }

  #deliver(event: TrackerEvent): void {
    for (const [key, { hear }] of [...this.#subscribers]) {
      if (!this.#subscribers.has(key)) continue;
      guard(
        () => hear(event),
        (error) =>
          this.logger.error('A subscriber of the context tracker failed', { event: event.type, error }),
      );
    }
  }
}
