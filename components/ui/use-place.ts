'use client';
import { type RefObject, useLayoutEffect, useState } from 'react';

interface Place {
  /** Start of the rows on the page, pixels. */
  top: number;
  /** Height of a row, pixels. */
  rowPx: number;
}

/** The place of a list's rows. The style `--row` sets their height. @param first the place until it is measured */
export function usePlace(body: RefObject<HTMLElement | null>, first: Place): Place {
  const [place, setPlace] = useState(first);
  useLayoutEffect(() => {
    const measure = () => {
      const element = body.current;
      if (element === null) return;
      const top = Math.round(element.getBoundingClientRect().top + window.scrollY);
      const rowPx = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row'));
      setPlace((held) => (held.top === top && held.rowPx === rowPx ? held : { top, rowPx }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [body]);
  return place;
}
