'use client';
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
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

/** A part of a page that is read anew by itself. */
export interface PartState extends Pick<RefreshState, 'pending' | 'failed'> {
  /** It was not answered for a while. */
  slow: boolean;
  retry: () => void;
}

/** An answer that takes longer is spoken of, milliseconds. */
const SLOW_MS = 3_000;

/**
 * Reads something whenever `key` changes (null: nothing to read), see refresher.ts.
 * @param take stores the answer; returns false when it is older than what was wanted
 */
export function useRefreshed<T>(
  key: string | null,
  read: (signal: AbortSignal) => Promise<T>,
  take: (value: T, key: string) => boolean,
): PartState {
  const [state, setState] = useState<RefreshState>({ key: null, pending: false, failed: false });
  const [answers, setAnswers] = useState(0);
  const [slow, setSlow] = useState(false);
  const refresher = useRef<Refresher>(null);
  const start = useEffectEvent((signal: AbortSignal) => read(signal));
  const arrive = useEffectEvent((value: T, wanted: string) => {
    setAnswers((count) => count + 1);
    return take(value, wanted);
  });

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
  const pending = key !== null && (state.key !== key || state.pending);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each answer the wait begins anew
  useEffect(() => {
    if (!pending) return;
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [pending, answers]);
  const retry = useCallback(() => refresher.current?.retry(), []);
  return { pending, failed: key !== null && state.failed, slow: pending && slow, retry };
}
