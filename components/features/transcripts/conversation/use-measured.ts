'use client';
import { type RefObject, useLayoutEffect, useState } from 'react';

export const heightOf = ({ height }: DOMRect) => height;
/** Height at the top of the screen that a sticky element covers, including sticky elements above it. */
export const stickyHeightOf = ({ height }: DOMRect, element: Element) =>
  height + (Number.parseFloat(getComputedStyle(element).top) || 0);
/** Offset on the page. */
export const topOf = ({ top }: DOMRect) => top + window.scrollY;

/** A measure of an element in whole pixels, kept up to date; 0 until the first measurement. */
export function useMeasured(
  element: RefObject<HTMLElement | null>,
  read: (rect: DOMRect, element: Element) => number,
): number {
  const [value, setValue] = useState(0);
  useLayoutEffect(() => {
    const target = element.current;
    if (target === null) return;
    const measure = () => setValue(Math.round(read(target.getBoundingClientRect(), target)));
    measure();
    const observer = new ResizeObserver(measure);
    for (const one of [target, document.body]) observer.observe(one);
    return () => observer.disconnect();
  }, [element, read]);
  return value;
}
