/** The page's one clock: the server's time, updated once a second, because the viewer's own clock may be wrong. */
import { createListeners } from './listeners';

export type Clock = ReturnType<typeof createClock>;

const TICK_MS = 1_000;

export function createClock(initialNow: number) {
  const listeners = createListeners();
  let offsetMs = 0;
  let shown = initialNow;

  function tick(): void {
    if (document.visibilityState === 'hidden') return;
    shown = Date.now() + offsetMs;
    listeners.notify();
  }

  return {
    /** The server's time at the last tick, milliseconds: the same for the whole page. */
    now: () => shown,
    /** The server's clock minus the browser's clock, milliseconds. */
    setOffset(next: number) {
      if (next === offsetMs) return;
      offsetMs = next;
      tick();
    },
    subscribe: listeners.add,
    /** Ticks while the page is visible, until the returned function is called. */
    start() {
      document.addEventListener('visibilitychange', tick);
      const timer = setInterval(tick, TICK_MS);
      // Tick after the current render, because a render must use a single time.
      queueMicrotask(tick);
      return () => {
        clearInterval(timer);
        document.removeEventListener('visibilitychange', tick);
      };
    },
  };
}
