'use client';
import { type RefObject, startTransition, useEffect, useState } from 'react';

/**
 * Width of an element in whole pixels; 0 until it is mounted. The first drawing runs in a transition, after the page.
 */
export function useMeasuredWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    let isFirst = true;
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const measured = Math.floor(entry.contentRect.width);
      // A window that is drawn larger or smaller is followed at once.
      if (isFirst) startTransition(() => setWidth(measured));
      else setWidth(measured);
      isFirst = false;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}
