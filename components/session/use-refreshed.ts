'use client';
import { useEffect, useEffectEvent, useRef, useState } from 'react';

/** Waits after failures, milliseconds; the last one repeats. */
const RETRY_MS = [1_000, 2_000, 5_000, 10_000];
/** Two reads of the same thing start at least this far apart. */
const SHORTEST_PERIOD_MS = 500;

export interface Refresh {
  /** A read is under way or waiting for its turn. */
  pending: boolean;
  failed: boolean;
}

/**
 * Reads something whenever `key` changes, and again after a failure until it comes; null: nothing to read.
 * What came before stays where the caller keeps it. An answer that a newer key overtook is dropped.
 */
export function useRefreshed<T>(
  key: string | null,
  read: (signal: AbortSignal) => Promise<T>,
  take: (value: T) => void,
): Refresh {
  const [state, setState] = useState<{ key: string | null; failed: boolean; done: boolean }>({
    key: null,
    failed: false,
    done: true,
  });
  const lastStart = useRef(0);
  const start = useEffectEvent((signal: AbortSignal) => read(signal));
  const arrive = useEffectEvent((value: T) => take(value));

  useEffect(() => {
    if (key === null) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const attempt = async (failures: number) => {
      lastStart.current = performance.now();
      try {
        const value = await start(abort.signal);
        if (abort.signal.aborted) return;
        arrive(value);
        setState({ key, failed: false, done: true });
      } catch {
        if (abort.signal.aborted) return;
        setState({ key, failed: true, done: false });
        timer = setTimeout(attempt, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)], failures + 1);
      }
    };
    const wait = Math.max(0, lastStart.current + SHORTEST_PERIOD_MS - performance.now());
    timer = setTimeout(attempt, wait, 0);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key]);

  const settled = key === null || (state.key === key && state.done);
  return { pending: !settled, failed: key !== null && state.key === key && state.failed };
}
