/** How long to wait for an agent that may never answer. */
interface Patience {
  /** Its reason rejects the wait. */
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** The time is over. */
export class WaitTimeout extends Error {}

/**
 * The result of the promise, unless the signal aborts or the time is over first. A later rejection of the promise is
 * ignored.
 */
export async function waitFor<T>(promise: PromiseLike<T>, { signal, timeoutMs }: Patience): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let abort: () => void = () => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    abort = () => reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    if (timeoutMs === undefined) return;
    timer = setTimeout(() => reject(new WaitTimeout(`Nothing within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([promise, interrupted]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
