/** Tries a step again while it may still work, with pauses that grow and differ between processes. */
import { UploadFailure } from './upload-failure';

export interface RetryTiming {
  /** Milliseconds before the second try; doubled for each further one. */
  baseMs: number;
  capMs: number;
  /** Milliseconds after the first failure when trying ends. */
  patienceMs: number;
}

export const RETRY_TIMING: RetryTiming = { baseMs: 500, capMs: 30_000, patienceMs: 60_000 };

export interface RetryOptions {
  timing: RetryTiming;
  signal?: AbortSignal | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  /** From 0 to 1. */
  random(): number;
  /** A pause does not keep the process alive. Default false. */
  isUnref?: boolean | undefined;
  /** Before each pause. */
  onPause?(reason: string, milliseconds: number): void;
}

/** @throws what the step threw last; the signal's reason once it is aborted. */
export async function keepTrying<T>(step: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { timing, signal, now, random, onPause, isUnref } = options;
  let firstFailureAt: number | null = null;
  for (let tries = 0; ; tries += 1) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof UploadFailure) || error.kind !== 'again') throw error;
      firstFailureAt ??= now();
      const backOff = Math.min(timing.capMs, timing.baseMs * 2 ** tries) * (0.5 + random() / 2);
      // A server that asks for more than there is patience for is left alone until then.
      const pauseMs = Math.max(backOff, error.retryAfterMs ?? 0);
      if (now() + pauseMs - firstFailureAt > timing.patienceMs) throw error;
      onPause?.(error.message, pauseMs);
      await pause(pauseMs, signal, isUnref);
    }
  }
}

/** @param isUnref it does not keep the process alive. @throws the signal's reason once it is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal, isUnref = false): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (isUnref) timer.unref();
    signal?.addEventListener('abort', stop, { once: true });
  });
}
