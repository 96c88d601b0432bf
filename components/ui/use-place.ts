'use client';
import { useLayoutEffect, useState } from 'react';

/** Height of a row, pixels; on a phone it has two lines. */
interface RowHeights {
  wide: number;
  narrow: number;
}

/**
 * Where the rows of a list begin on the page and how high one is. What grows above them makes the page grow.
 * @param heights the same object with every render
 * @param firstTop where the rows begin until it was measured, pixels
 */
export function usePlace(
  body: React.RefObject<HTMLElement | null>,
  heights: RowHeights,
  firstTop = 0,
): { top: number; rowPx: number } {
  const [place, setPlace] = useState({ top: firstTop, rowPx: heights.wide });
  useLayoutEffect(() => {
    const measure = () => {
      const rect = body.current?.getBoundingClientRect();
      if (rect === undefined) return;
      const top = Math.round(rect.top + window.scrollY);
      const rowPx = rowHeight(body.current, heights);
      setPlace((held) => (held.top === top && held.rowPx === rowPx ? held : { top, rowPx }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [body, heights]);
  return place;
}

/** What the style sheet says of this list (`--row`): a phone has higher rows, a denser page lower ones. */
function rowHeight(body: HTMLElement | null, heights: RowHeights): number {
  const stated = body === null ? '' : getComputedStyle(body).getPropertyValue('--row');
  const rowPx = Number.parseFloat(stated);
  if (rowPx > 0) return rowPx;
  return window.matchMedia('(max-width: 767px)').matches ? heights.narrow : heights.wide;
}
