'use client';
import { type RefObject, startTransition, useEffect, useState } from 'react';

/**
 * Width of an element in whole pixels; 0 until it stands on a page. What is drawn for it comes in pieces, after the page
 * that it stands on: a sheet is a long task, and nothing waits for it.
 */
export function useMeasuredWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) startTransition(() => setWidth(Math.floor(entry.contentRect.width)));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}
