/**
 * Reads one thing anew whenever somebody wants a newer one. It owns which key is wanted, which is held, and
 * the one read under way; it trades freshness for calm: a read is never broken off for a newer wish, reads
 * start at least half a second apart, and failures wait longer each time. What was read before stays.
 */
export interface RefresherEnvironment<T> {
  /** @param key what was wanted when the read began */
  read: (key: string, signal: AbortSignal) => Promise<T>;
  /** @returns false when the answer is older than what was wanted: it is asked for again */
  take: (value: T, key: string) => boolean;
  onState: (state: RefreshState) => void;
  now: () => number;
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface RefreshState {
  /** The key whose answer is on screen or was asked for last. */
  key: string | null;
  pending: boolean;
  failed: boolean;
}

export interface Refresher {
  /** Null: nothing is wanted; what was read stays. */
  want: (key: string | null) => void;
  /** Somebody asked: waits no longer, and leaves a read that does not answer for another one. */
  retry: () => void;
  stop: () => void;
}

/** Waits after failures, milliseconds; the last one repeats. */
const RETRY_MS = [1_000, 2_000, 5_000, 10_000];
const SHORTEST_PERIOD_MS = 500;

export function createRefresher<T>(environment: RefresherEnvironment<T>): Refresher {
  const abort = new AbortController();
  const { signal } = abort;
  let wanted: string | null = null;
  let held: string | null = null;
  /** The pause or the read under way. */
  let attempt = new AbortController();
  let running = false;
  let startedAt = Number.NEGATIVE_INFINITY;
  let failures = 0;

  async function pause(): Promise<void> {
    const since = environment.now() - startedAt;
    const retry = failures === 0 ? 0 : (RETRY_MS[Math.min(failures, RETRY_MS.length) - 1] ?? 0);
    const wait = Math.max(SHORTEST_PERIOD_MS - since, retry);
    if (wait > 0) await environment.sleep(wait, attempt.signal);
  }

  async function run(): Promise<void> {
    running = true;
    while (wanted !== null && wanted !== held && !signal.aborted) {
      attempt = new AbortController();
      await pause();
      // A retry ends the pause alone: the read after it has a signal of its own.
      if (attempt.signal.aborted) attempt = new AbortController();
      const key: string | null = wanted;
      if (key === null || signal.aborted) break;
      startedAt = environment.now();
      try {
        const value = await environment.read(key, attempt.signal);
        if (signal.aborted) break;
        failures = 0;
        if (environment.take(value, key)) held = key;
      } catch {
        if (signal.aborted) break;
        if (attempt.signal.aborted) startedAt = Number.NEGATIVE_INFINITY;
        else failures += 1;
      }
      report();
    }
    running = false;
    if (!signal.aborted) report();
  }

  function report(): void {
    environment.onState({
      key: wanted,
      pending: wanted !== null && wanted !== held,
      failed: failures > 0 && wanted !== null,
    });
  }

  return {
    want(key) {
      wanted = key;
      if (key === null) {
        held = null;
        failures = 0;
      }
      report();
      if (!running) void run();
    },
    retry() {
      failures = 0;
      attempt.abort();
    },
    stop() {
      abort.abort();
      attempt.abort();
    },
  };
}
