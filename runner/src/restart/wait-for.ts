export class WaitTimeout extends Error {}

/** The promise's result. Stops waiting when the signal aborts or the time is up, because an agent may never answer. */
export async function waitFor<T>(
  promise: PromiseLike<T>,
  { signal, timeoutMs }: { signal?: AbortSignal; timeoutMs?: number },
): Promise<T> {
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
    return await Promise.race([interrupted, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
