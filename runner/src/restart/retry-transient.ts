/** Repeats a call after transient failures, such as an overloaded provider (529), with exponential backoff. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ContextPressureError } from '../usage/context-usage';
import { readField } from '../usage/read-field';
import { isPromptTooLong } from './prompt-too-long';

/** First wait, milliseconds; each further wait is twice as long. */
const DEFAULT_RETRY_MS = 1_000;
const MAX_ATTEMPTS = 5;
/** Client errors that a retry may resolve: timeout, conflict, too early, rate limit. */
const TRANSIENT_STATUS: readonly number[] = [408, 409, 425, 429];

interface RetryOptions {
  retryMs: number | undefined;
  signal: AbortSignal;
  onRetry?(error: unknown, waitMs: number): void;
}

/** @throws the last error, after five attempts; at once if a retry is pointless or the signal aborts. */
export async function retryTransient<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { retryMs = DEFAULT_RETRY_MS, signal, onRetry } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (signal.aborted || attempt === MAX_ATTEMPTS || !isTransient(error)) throw error;
      const waitMs = retryMs * 2 ** (attempt - 1);
      onRetry?.(error, waitMs);
      await sleep(waitMs, undefined, { signal });
    }
  }
}

function isTransient(error: unknown): boolean {
  const status = readField(error, 'status') ?? readField(error, 'statusCode');
  const isRefused =
    typeof status === 'number' && status >= 400 && status < 500 && !TRANSIENT_STATUS.includes(status);
  return !isRefused && !isPromptTooLong(error) && !(error instanceof ContextPressureError);
}
