import { guard } from '../guard';
import type { Logger } from '../logger';
import type { ContextState } from './tracker-config';

/**
 * Events of a tracker. One step up over several lines gives `state_changed`,
 * `approaching_redline`, `redlined`, in this order; on the way down there is `state_changed` alone.
 */
export type TrackerEvent =
  | { type: 'state_changed'; from: ContextState; to: ContextState; usagePercent: number }
  /** The restart line was reached from below. */
  | { type: 'approaching_redline'; usagePercent: number }
  /** The window is full, or overshot. */
  | { type: 'redlined'; tokensUsed: number; maxTokens: number }
  | { type: 'cleared'; tokensCleared: number }
  /** `removed`: messages. */
  | { type: 'compressed'; tokensBefore: number; tokensAfter: number; removed: number };

/** What a subscriber with a buffer reads: the events, and how many of them it was too slow for. */
export type SubscriberEvent = TrackerEvent | { type: 'lagged'; lost: number };

const DEFAULT_BUFFER_SIZE = 100;

type Result = IteratorResult<SubscriberEvent, undefined>;

/** The events of a tracker as one subscriber reads them: `for await (const event of stream)`. */
export interface EventStream {
  /** The next event, waiting for it if need be; done once the stream ended and everything was read. */
  next(): Promise<Result>;
  /** Unsubscribes and drops what was not read; `break` in a `for await` loop calls it. */
  return(): Promise<Result>;
  /** Itself, for `for await`. */
  [Symbol.asyncIterator](): EventStream;
  /** As `return`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

export class EventSubscription implements EventStream {
  readonly #capacity: number;
  readonly #onReturn: (subscription: EventSubscription) => void;
  #buffer: TrackerEvent[] = [];
  #waiting: ((result: Result) => void)[] = [];
  #lost = 0;
  #ended = false;

  /** @throws RangeError unless `capacity` is a whole number from 1. */
  constructor(capacity: number, onReturn: (subscription: EventSubscription) => void) {
    if (!(Number.isSafeInteger(capacity) && capacity >= 1)) {
      throw new RangeError('"bufferSize" must be a whole number from 1');
    }
    this.#capacity = capacity;
    this.#onReturn = onReturn;
  }

  /** Pass one event to a waiting reader, else into the buffer. */
  push(event: TrackerEvent): void {
    if (this.#ended) return;
    const waiting = this.#waiting.shift();
    if (waiting) {
      waiting({ done: false, value: event });
      return;
    }
    if (this.#buffer.length === this.#capacity) {
      this.#buffer.shift();
      this.#lost += 1;
    }
    this.#buffer.push(event);
  }

  /** End the stream; buffered events can still be read. */
  end(): void {
    this.#ended = true;
    for (const waiting of this.#waiting.splice(0)) waiting({ done: true, value: undefined });
  }

  next(): Promise<Result> {
    if (this.#lost > 0) {
      const lost = this.#lost;
      this.#lost = 0;
      return Promise.resolve({ done: false, value: { type: 'lagged', lost } });
    }
    const event = this.#buffer.shift();
    if (event) return Promise.resolve({ done: false, value: event });
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return(): Promise<Result> {
    this.#buffer = [];
    this.#lost = 0;
    this.end();
    this.#onReturn(this);
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}

/** Hears each event of a tracker. What it throws or rejects with is logged, and goes no further. */
export type TrackerListener = (event: TrackerEvent) => unknown;

export class EventEmitter {
  readonly #subscriptions = new Set<EventSubscription>();
  /** Keyed by subscription and not by function: one function may listen twice. */
  readonly #listeners = new Map<symbol, TrackerListener>();
  readonly #logger: Logger;
  #pending: TrackerEvent[] = [];
  #isDelivering = false;
  #closed = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Deliver events of one change to all subscribers, with nothing in between; without subscribers they are dropped. */
  emit(events: readonly TrackerEvent[]): void {
    // All subscribers get the same object, so it must not change.
    this.#pending.push(...events.map((event) => Object.freeze(event)));
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    for (let next = this.#pending.shift(); next; next = this.#pending.shift()) this.#deliver(next);
    this.#isDelivering = false;
  }

  subscribe(listener: TrackerListener): () => void {
    const key = Symbol('subscription');
    if (!this.#closed) this.#listeners.set(key, listener);
    return () => {
      this.#listeners.delete(key);
    };
  }

  events(bufferSize: number = DEFAULT_BUFFER_SIZE): EventSubscription {
    const subscription = new EventSubscription(bufferSize, (ended) => this.#subscriptions.delete(ended));
    if (this.#closed) subscription.end();
    else this.#subscriptions.add(subscription);
    return subscription;
  }

  /** Release all subscribers: iterators end once their buffer is read. */
  close(): void {
    this.#closed = true;
    for (const subscription of this.#subscriptions) subscription.end();
    this.#subscriptions.clear();
    this.#listeners.clear();
  }

  #deliver(event: TrackerEvent): void {
    for (const subscription of this.#subscriptions) subscription.push(event);
    for (const [key, listener] of [...this.#listeners]) {
      if (!this.#listeners.has(key)) continue;
      guard(
        () => listener(event),
        (error) =>
          this.#logger.error('A subscriber of the context tracker failed', { event: event.type, error }),
      );
    }
  }
}
