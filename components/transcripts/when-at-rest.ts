/** So long nobody may have acted. */
const REST_MS = 500;
/** Longer it does not wait, whoever acts. */
const MOST_MS = 4_000;
const ACTS = ['wheel', 'scroll', 'pointerdown', 'touchstart', 'keydown'] as const;

/**
 * Waits until whoever looks at a page leaves it alone for a moment, so that work nobody waits for takes none of their time.
 * @param hurry ends the wait at once: somebody does wait for it
 * @throws the signal's reason once it is aborted
 */
export async function whenAtRest(hurry: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve) => {
    const latest = setTimeout(end, MOST_MS);
    let timer = setTimeout(end, REST_MS);
    function begin(): void {
      clearTimeout(timer);
      timer = setTimeout(end, REST_MS);
    }
    function end(): void {
      clearTimeout(timer);
      clearTimeout(latest);
      for (const act of ACTS) window.removeEventListener(act, begin, { capture: true });
      signal.removeEventListener('abort', end);
      resolve();
    }
    for (const act of ACTS) window.addEventListener(act, begin, { capture: true, passive: true });
    signal.addEventListener('abort', end);
    void hurry.then(end);
  });
  signal.throwIfAborted();
}
