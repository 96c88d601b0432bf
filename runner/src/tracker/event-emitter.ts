/**
 * Owns who listens to a tracker and the order in which they hear. Everybody hears every event in the same
 * order, also when a listener changes the tracker from within: what that brings waits until the event at hand
 * has reached all. A listener that throws or rejects is logged and keeps its place.
 */

import { guard } from '../guard';
import type { Logger } from '../logger';
import { DEFAULT_BUFFER_SIZE, EventSubscription } from './event-subscription';
import type { TrackerEvent } from './tracker-events';

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

  /** Hands events that belong together to everybody, with nothing in between; with nobody there, they are gone. */
  emit(events: readonly TrackerEvent[]): void {
    // One object goes to all: nobody may change what the next one hears.
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

  /** Lets everybody go: iterators end once their buffer is read. */
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
