/**
 * A value that changes in bursts, shown at a limited rate: at once after a pause, else at the end of the interval
 * and once the last one was drawn. A large fleet's twenty frames are drawn once.
 */
interface Pace {
  /** Least time between shown values. */
  intervalMs: number;
  /** Least time after a drawing, for other work. */
  restMs: number;
}

/** @param watch calls its listener after each change, until the returned function is called */
export function createPacedStore<T>(
  readSource: () => T,
  watch: (listener: () => void) => () => void,
  { intervalMs, restMs }: Pace,
) {
  let shown = readSource();
  /** Earliest time of the next value: interval and pause are over. */
  let nextAt = Number.NEGATIVE_INFINITY;
  let isDrawing = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onShown: (() => void) | null = null;

  function show(): void {
    timer = undefined;
    const next = readSource();
    if (onShown === null || Object.is(next, shown)) return;
    shown = next;
    nextAt = performance.now() + intervalMs;
    isDrawing = true;
    onShown();
  }
  function look(): void {
    if (timer !== undefined || isDrawing || Object.is(readSource(), shown)) return;
    const waitMs = nextAt - performance.now();
    if (waitMs <= 0) show();
    else timer = setTimeout(show, waitMs);
  }

  return {
    /** The shown value: the same between two calls of the listener. */
    read: () => shown,
    /** Report that the last shown value is on the screen. */
    drawn() {
      if (!isDrawing) return;
      isDrawing = false;
      nextAt = Math.max(nextAt, performance.now() + restMs);
      look();
    },
    /** For one listener at a time. After each call the next one waits until the value was drawn. */
    watch(listener: () => void): () => void {
      isDrawing = false;
      onShown = listener;
      const leave = watch(look);
      // Changes between the first read and now.
      look();
      return () => {
        leave();
        clearTimeout(timer);
        timer = undefined;
        onShown = null;
      };
    },
  };
}
