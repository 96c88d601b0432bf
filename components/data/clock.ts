/**
 * The page's one clock: the server's time, ticking once a second for everything that counts. Ages are differences of the
 * server's times, so the viewer's clock may be wrong.
 */
import { createListeners } from './listeners';

export interface Clock {
  /** The server's time at the last tick, milliseconds; the same between ticks, so that a page agrees with itself. */
  now(): number;
  /** The server's clock minus ours, milliseconds. */
  setOffset(offsetMs: number): void;
  subscribe(listener: () => void): () => void;
  /** Ticks while the page is visible, until the returned function is called. */
  start(): () => void;
}

const TICK_MS = 1_000;

export function createClock(initialNow: number): Clock {
  const listeners = createListeners();
  let offsetMs = 0;
  let shown = initialNow;

  function tick(): void {
    if (document.visibilityState === 'hidden') return;
    shown = Date.now() + offsetMs;
    listeners.notify();
  }

  return {
    now: () => shown,
    setOffset(next) {
      if (next === offsetMs) return;
      offsetMs = next;
      tick();
    },
    subscribe: listeners.add,
    start() {
      document.addEventListener('visibilitychange', tick);
      const timer = setInterval(tick, TICK_MS);
      // After the first paint: the render that is under way keeps the time it began with.
      queueMicrotask(tick);
      return () => {
        clearInterval(timer);
        document.removeEventListener('visibilitychange', tick);
      };
    },
  };
}
