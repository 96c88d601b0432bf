'use client';
import { startTransition, useEffect, useState } from 'react';

/**
 * The value, for what is expensive to draw: it follows in an interruptible rendering. Unlike React's deferred value it
 * has the rank of the fleet's own updates, so that those never postpone it.
 */
export function useDeferred<T>(value: T): T {
  const [shown, setShown] = useState(value);
  useEffect(() => startTransition(() => setShown(() => value)), [value]);
  return shown;
}

/**
 * The value, one frame late, in a task of its own: what the viewer asked for is drawn first.
 * @param first the value until the first frame was drawn
 */
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

/** The value once it stayed the same for `ms` milliseconds. */
export function useDebounced<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
