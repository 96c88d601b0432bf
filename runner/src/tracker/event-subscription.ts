/// <reference lib="esnext.disposable" preserve="true" />
/**
 * One subscriber's buffer of events, read as an async iterator.
 *
 * It holds a fixed number of events. A slow reader loses the oldest ones and is told how many (`lagged`) before
 * it reads on: memory stays bounded and nobody else waits, at the price of a gap that is named.
 */
import type { SubscriberEvent, TrackerEvent } from './tracker-events';

export const DEFAULT_BUFFER_SIZE = 100;

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

  /** Hands one event over: to who waits for it, else into the buffer. */
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

  /** No more will come: what is in the buffer can still be read. */
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
