/**
 * A value that changes in bursts, shown in a pace that a reader can follow.
 *
 * It owns the value that is shown and one timer. A change after a rest shows at once; what follows within
 * the interval shows together at its end. It trades at most one interval of freshness for drawing a large
 * fleet's twenty frames once and not twenty times.
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
  /** For one listener at a time. */
  watch(listener: () => void): () => void;
}

/** @param intervalMs least time between two values that are shown, milliseconds */
export function createPacedStore<T>(source: PacedSource<T>, intervalMs: number): PacedStore<T> {
  let shown = source.read();
  let shownAt = Number.NEGATIVE_INFINITY;

  return {
    read: () => shown,
    watch(listener) {
      let cancel: (() => void) | null = null;

      function show(): void {
        cancel = null;
        const next = source.read();
        if (Object.is(next, shown)) return;
        shown = next;
        shownAt = source.now();
        listener();
      }
      function changed(): void {
        if (cancel !== null) return;
        const wait = shownAt + intervalMs - source.now();
        if (wait <= 0) show();
        else cancel = source.schedule(show, wait);
      }

      const leave = source.watch(changed);
      // What changed between the first look and now.
      if (!Object.is(source.read(), shown)) changed();
      return () => {
        leave();
        cancel?.();
      };
    },
  };
}
