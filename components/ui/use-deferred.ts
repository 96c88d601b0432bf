'use client';
import { startTransition, useEffect, useState } from 'react';

/** The value, applied in an interruptible rendering. Fleet updates do not postpone it, unlike `useDeferredValue`. */
export function useDeferred<T>(value: T): T {
  const [shown, setShown] = useState(value);
  useEffect(() => startTransition(() => setShown(() => value)), [value]);
  return shown;
}

/** The value, applied one frame later in its own task. @param first the value until the first frame */
export function useAfterPaint<T>(value: T, first = value): T {
  const [shown, setShown] = useState(first);
  useEffect(() => {
    if (Object.is(shown, value)) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setShown(() => value)));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [value, shown]);
  return shown;
}

/** The value after `ms` milliseconds without a change. */
export function useDebounced<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
