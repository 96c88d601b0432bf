/**
 * The page's one clock: the server's time, ticking once a second for everything that counts. Ages are differences of the
 * server's times, so the viewer's clock may be wrong. It stops without listeners and while the page is hidden.
 */
import { createListeners } from './listeners';

export interface Clock {
  /** The server's time at the last tick, milliseconds; the same between ticks, so that a page agrees with itself. */
  now(): number;
  /** The server's clock minus ours, milliseconds. */
  setOffset(offsetMs: number): void;
  subscribe(listener: () => void): () => void;
}

const TICK_MS = 1_000;

export function createClock(initialNow: number): Clock {
  const listeners = createListeners();
  let offsetMs = 0;
  let shown = initialNow;
  let count = 0;
  let timer: ReturnType<typeof setInterval> | undefined;

  function tick(): void {
    shown = Date.now() + offsetMs;
    listeners.notify();
  }
  function onVisibility(): void {
    clearInterval(timer);
    if (document.visibilityState === 'hidden') return;
    tick();
    timer = setInterval(tick, TICK_MS);
  }

  return {
    now: () => shown,
    setOffset(next) {
      if (next === offsetMs) return;
      offsetMs = next;
      tick();
    },
    subscribe(listener) {
      const remove = listeners.add(listener);
      count += 1;
      if (count === 1) {
        document.addEventListener('visibilitychange', onVisibility);
        // After the first paint: the render that is under way keeps the time it began with.
        timer = setInterval(tick, TICK_MS);
        queueMicrotask(tick);
      }
      return () => {
        remove();
        count -= 1;
        if (count > 0) return;
        clearInterval(timer);
        document.removeEventListener('visibilitychange', onVisibility);
      };
    },
  };
}
