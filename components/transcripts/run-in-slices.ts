/** So long the page's thread is held at a time, milliseconds: a frame is drawn in between. */
const SLICE_MS = 8;

/** Runs long work while the page goes on being drawn, scrolled and pressed. @throws the signal's reason once it is aborted */
export async function runInSlices<T>(steps: Generator<undefined, T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    const until = performance.now() + SLICE_MS;
    do {
      const step = steps.next();
      if (step.done) return step.value;
    } while (performance.now() < until);
    // A task of its own: what waits for the thread comes first.
    await new Promise((resolve) => setTimeout(resolve));
  }
}
