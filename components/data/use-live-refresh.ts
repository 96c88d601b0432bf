import { useEffect, useRef } from 'react';

/** Minimum time between requests, milliseconds. */
const GAP_MS = 1_000;

/**
 * Refetch a query when `hint` changes, with one request at a time. A disabled query ignores hints, because enabling
 * the query reads it anyway.
 * @param hint a version or time that changes with the data on the server; null: nothing newer is known
 * @param answered the hint for which the initial data was read
 */
export function useLiveRefresh(
  query: { refetch: () => Promise<unknown>; isFetching: boolean; isEnabled?: boolean },
  hint: number | string | null,
  answered = hint,
): void {
  const { refetch, isFetching, isEnabled = true } = query;
  const last = useRef({ hint: answered, at: Number.NEGATIVE_INFINITY });
  useEffect(() => {
    if (!isEnabled) last.current.hint = hint;
    if (isFetching || hint === null || last.current.hint === hint) return;
    const wait = last.current.at + GAP_MS - performance.now();
    const timer = setTimeout(
      () => {
        last.current = { hint, at: performance.now() };
        void refetch();
      },
      Math.max(0, wait),
    );
    return () => clearTimeout(timer);
  }, [hint, isFetching, isEnabled, refetch]);
}
