'use client';
import { type RefObject, useLayoutEffect, useState } from 'react';

/** The element's width in pixels, kept up to date; `fallback` until it is measured and while it is hidden. */
export function useWidth(element: RefObject<Element | null>, fallback: number): number {
  const [width, setWidth] = useState(fallback);
  useLayoutEffect(() => {
    const target = element.current;
    if (target === null) return;
    const observer = new ResizeObserver((entries) => {
      const measured = entries[0]?.contentRect.width ?? 0;
      if (measured > 0) setWidth(Math.round(measured));
    });
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
