'use client';
import { startTransition, useEffect, useState } from 'react';

/**
 * The value, a frame late: what shows it is drawn after what the viewer asked for, in a task of its own. Unlike a
 * deferred value it is never put off further by what comes in meanwhile.
 * @param first what it is until the first frame was drawn
 */
export function useAfterPaint<T>(value: T, first = value): T {
  const [shown, setShown] = useState(first);
  useEffect(() => {
    if (Object.is(shown, value)) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      // The frame is drawn once this callback is over.
      timer = setTimeout(() => startTransition(() => setShown(() => value)));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [value, shown]);
  return shown;
}
