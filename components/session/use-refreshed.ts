'use client';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { createRefresher, type Refresher, type RefreshState } from './refresher';

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}

/**
 * Reads something whenever `key` changes (null: nothing to read), see refresher.ts.
 * @param take stores the answer; returns false when it is older than what was wanted
 */
export function useRefreshed<T>(
  key: string | null,
  read: (signal: AbortSignal) => Promise<T>,
  take: (value: T, key: string) => boolean,
): Pick<RefreshState, 'pending' | 'failed'> {
  const [state, setState] = useState<RefreshState>({ key: null, pending: false, failed: false });
  const refresher = useRef<Refresher>(null);
  const start = useEffectEvent((signal: AbortSignal) => read(signal));
  const arrive = useEffectEvent((value: T, wanted: string) => take(value, wanted));

  useEffect(() => {
    const created = createRefresher<T>({
      read: (_key, signal) => start(signal),
      take: (value, wanted) => arrive(value, wanted),
      onState: setState,
      now: () => performance.now(),
      sleep,
    });
    refresher.current = created;
    return () => created.stop();
  }, []);
  useEffect(() => refresher.current?.want(key), [key]);

  // Until the wish has reached the refresher, a new key counts as pending.
  return {
    pending: key !== null && (state.key !== key || state.pending),
    failed: key !== null && state.failed,
  };
}
