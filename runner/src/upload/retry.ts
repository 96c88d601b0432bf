/** Retries of one upload step, with growing random pauses. */
import { setTimeout } from 'node:timers/promises';
import pRetry from 'p-retry';
import { UploadFailure } from './upload-failure';

export interface RetryTiming {
  /** Milliseconds before the second attempt; doubled for each further one. */
  baseMs: number;
  capMs: number;
  /** Milliseconds after which no attempt starts. */
  patienceMs: number;
}

export const RETRY_TIMING: RetryTiming = { baseMs: 500, capMs: 30_000, patienceMs: 60_000 };

export interface RetryOptions {
  signal?: AbortSignal | undefined;
  /** Pauses do not keep the process alive. Default false. */
  isUnref?: boolean | undefined;
  /** Called before each pause after a failed attempt. */
  onPause?(reason: string): void;
}

/** @throws the last error of the step; the signal's reason once it is aborted. */
export function retry<T>(
  step: () => Promise<T>,
  { baseMs, capMs, patienceMs }: RetryTiming,
  { signal, onPause, isUnref = false }: RetryOptions,
): Promise<T> {
  return pRetry(step, {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: baseMs,
    maxTimeout: capMs,
    maxRetryTime: patienceMs,
    randomize: true,
    unref: isUnref,
    ...(signal === undefined ? {} : { signal }),
    shouldRetry: async ({ error }) => {
      if (!(error instanceof UploadFailure) || error.kind !== 'again') return false;
      const retryAfterMs = error.answer.retryAfterMs ?? 0;
      if (retryAfterMs > patienceMs) return false;
      onPause?.(error.message);
      await pause(retryAfterMs, signal, isUnref);
      return true;
    },
  });
}

/** @throws the signal's reason once it is aborted. */
export async function pause(milliseconds: number, signal?: AbortSignal, isUnref = false): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, { ref: !isUnref, ...(signal === undefined ? {} : { signal }) });
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
}
