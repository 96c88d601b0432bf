'use client';
import { type RefObject, useLayoutEffect, useState } from 'react';

/** Height of an element, pixels; 0 until it was measured. */
export function useMeasuredHeight(element: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const target = element.current;
    if (target === null) return;
    const measure = () => setHeight(Math.round(target.getBoundingClientRect().height));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  return height;
}
