/**
 * Shows a value that changes in bursts at a limited rate. After a pause, a change is shown immediately. Otherwise the
 * change waits until the interval has ended and the last value is drawn. A burst of twenty frames is drawn twice.
 */
export interface PacedSource<T> {
  read(): T;
  watch(listener: () => void): () => void;
  now(): number;
  /** Run `task` once after `delayMs`. Returns a function that cancels it. */
  schedule(task: () => void, delayMs: number): () => void;
}

export interface PacedStore<T> {
  /** The shown value, which changes only when the listener is called. */
  read(): T;
  /** Supports one listener at a time. After each call, the next call waits until the value was drawn. */
  watch(listener: () => void): () => void;
  /** Report that the last shown value is on the screen. */
  drawn(): void;
}

/** @param intervalMs least time between shown values @param restMs least time after a drawing, for other work */
export function createPacedStore<T>(
  source: PacedSource<T>,
  intervalMs: number,
  restMs: number,
): PacedStore<T> {
  let shown = source.read();
  /** Earliest time of the next value, after the interval and the rest. */
  let nextAt = Number.NEGATIVE_INFINITY;
  let isDrawing = false;
  /** Check for a newer value for the current listener. */
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
      // The value may have changed since the first read.
      if (!Object.is(source.read(), shown)) changed();
      return () => {
        leave();
        cancel?.();
        look = null;
      };
    },
  };
}
