/** Failures of upload steps, and retries with growing random pauses. */
import { setTimeout } from 'node:timers/promises';
import pRetry from 'p-retry';

interface Answer {
  /** The server's `Retry-After`, milliseconds; null if there was none. */
  retryAfterMs: number | null;
  status: number | null;
  code: string | null;
}

/** Codes of a project without room: a higher limit, a deletion or retention makes room later. */
const NO_ROOM = new Set(['too_many', 'project_full']);
const AGAIN = new Set([408, 425, 429]);
const LATER = new Set([401, 403, 404, 405, 426, 501]);

/** `again`: retry soon. `later`: the archive stays pending. `final`: no retry can succeed. */
export class UploadFailure extends Error {
  override readonly name = 'UploadFailure';

  constructor(
    readonly kind: 'again' | 'later' | 'final',
    reason: string,
    readonly answer: Answer = { retryAfterMs: null, status: null, code: null },
  ) {
    super(reason);
  }

  static ofAnswer(reason: string, answer: Answer & { status: number }): UploadFailure {
    const { status, code } = answer;
    const isAgain = status >= 500 || AGAIN.has(status);
    // A redirection is unexpected, but is not a final refusal.
    const isLater = NO_ROOM.has(code ?? '') || status < 400 || LATER.has(status);
    return new UploadFailure(isLater ? 'later' : isAgain ? 'again' : 'final', reason, answer);
  }

  get status(): number | null {
    return this.answer.status;
  }

  /** The project has no room; archives of other projects may still fit. */
  get isProjectFull(): boolean {
    return NO_ROOM.has(this.answer.code ?? '');
  }
}

export function changed(): UploadFailure {
  return new UploadFailure('final', 'the file changed after it was archived');
}

/** Milliseconds. */
export const TIMING = {
  /** Pause before the second attempt; doubled for each further attempt. */
  baseMs: 500,
  capMs: 30_000,
  /** No attempt starts after this time. */
  patienceMs: 60_000,
  callMs: 60_000,
  /** Timeout for completing an archive. The server reads the whole archive back first. */
  completeMs: 600_000,
};

export interface RetryOptions {
  signal?: AbortSignal | undefined;
  /** True: the process may end during a pause. Default false. */
  isUnref?: boolean | undefined;
  onPause?(reason: string): void;
}

/** @throws the last error of the step; the signal's reason once it is aborted. */
export function retry<T>(
  step: () => Promise<T>,
  { baseMs, capMs, patienceMs }: typeof TIMING,
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
