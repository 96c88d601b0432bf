'use client';
import { type RefObject, startTransition, useLayoutEffect, useState } from 'react';

/**
 * Width of an element in whole pixels; `fallback` until it is measured. Without a fallback, the first width is applied
 * in a transition, so that the drawing does not delay the page.
 */
export function useMeasuredWidth(ref: RefObject<HTMLElement | null>, fallback = 0): number {
  const [width, setWidth] = useState(fallback);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    let isLate = fallback === 0;
    const observer = new ResizeObserver(([entry]) => {
      const measured = Math.floor(entry?.contentRect.width ?? 0);
      if (measured === 0) return;
      if (isLate) startTransition(() => setWidth(measured));
      else setWidth(measured);
      isLate = false;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref, fallback]);
  return width;
}
