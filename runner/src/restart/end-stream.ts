/** Ways to wait for an agent that may never answer. */

/** The result of the promise, or a rejection with the signal's reason, whichever is first. */
export function untilAborted<T>(promise: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return Promise.resolve(promise);
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).then(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * Ends a stream that was not read to its end: lets its iterator close, then aborts its signal in any case.
 * @param iterator null: the stream never opened.
 * @param timeoutMs how long the iterator may take before the signal is aborted over its head.
 * @returns what went wrong meanwhile, or null: the stream is given up either way.
 */
export async function endStream(
  iterator: AsyncIterator<unknown> | null,
  controller: AbortController,
  reason: unknown,
  timeoutMs: number,
): Promise<unknown> {
  try {
    const closing = Promise.resolve(iterator?.return?.());
    // A rejection after the timeout must not end the process.
    closing.catch(() => undefined);
    await within(closing, timeoutMs, () => new Error(`The stream did not close within ${timeoutMs} ms`));
    return null;
  } catch (error) {
    return error;
  } finally {
    controller.abort(reason);
  }
}

/** The result of the promise, or a rejection after the time. */
export async function within<T>(promise: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
