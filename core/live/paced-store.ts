/**
 * A value that changes in bursts, shown in a pace that a reader can follow.
 *
 * It owns the value that is shown and one timer. A change after a rest shows at once; what follows within
 * the interval, or before the last one was drawn, shows together at its end. It trades that much freshness for drawing
 * a large fleet's twenty frames once and not twenty times, and for never giving a busy page more than it can draw.
 */
export interface PacedSource<T> {
  read(): T;
  /** Calls `listener` at each change, until the returned function is called. */
  watch(listener: () => void): () => void;
  /** Milliseconds; only differences count. */
  now(): number;
  /** Runs `task` once after `delayMs`; returns a function that cancels it. */
  schedule(task: () => void, delayMs: number): () => void;
}

export interface PacedStore<T> {
  /** What is shown: the same between two calls of the listener. */
  read(): T;
  /** For one listener at a time. After each call the next one waits until the value was drawn. */
  watch(listener: () => void): () => void;
  /** Tells that the value shown last is on the screen. */
  drawn(): void;
}

/**
 * @param intervalMs least time between two values that are shown, milliseconds
 * @param restMs least time after one was drawn, for what the page is asked to do meanwhile
 */
export function createPacedStore<T>(
  source: PacedSource<T>,
  intervalMs: number,
  restMs: number,
): PacedStore<T> {
  let shown = source.read();
  /** Not before: the interval and the rest are over. */
  let nextAt = Number.NEGATIVE_INFINITY;
  let isDrawing = false;
  /** Looks whether there is something newer; of the one who watches. */
  let look: (() => void) | null = null;

  return {
    read: () => shown,
    drawn() {
      if (!isDrawing) return;
      isDrawing = false;
      nextAt = Math.max(nextAt, source.now() + restMs);
      if (!Object.is(source.read(), shown)) look?.();
    },
    watch(listener) {
      let cancel: (() => void) | null = null;

      function show(): void {
        cancel = null;
        const next = source.read();
        if (Object.is(next, shown)) return;
        shown = next;
        nextAt = source.now() + intervalMs;
        isDrawing = true;
        listener();
      }
      function changed(): void {
        if (cancel !== null || isDrawing) return;
        const wait = nextAt - source.now();
        if (wait <= 0) show();
        else cancel = source.schedule(show, wait);
      }

      isDrawing = false;
      look = changed;
      const leave = source.watch(changed);
      // What changed between the first look and now.
      if (!Object.is(source.read(), shown)) changed();
      return () => {
        leave();
        cancel?.();
        look = null;
      };
    },
  };
}
