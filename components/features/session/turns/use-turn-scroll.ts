'use client';
/**
 * The place in a table of turns: which rows are seen, and how to get to another. It owns the virtualizer; the
 * rows may be higher than an element can be, so one scrollbar pixel may be several row pixels.
 */
import {
  defaultRangeExtractor,
  observeElementOffset,
  type Range,
  useVirtualizer,
} from '@tanstack/react-virtual';
import { useRef } from 'react';

/** No browser makes an element higher than some 17 million pixels. */
export const MOST_PX = 12_000_000;
export const ROW_PX = 26;
const HEAD_PX = 28;
const FIRST_RECT = { width: 1_000, height: 420 };

/** @param active index of the row that has the focus, which stays rendered; null: none */
export function useTurnScroll(count: number, active: number | null) {
  const scroller = useRef<HTMLDivElement>(null);
  const rowsPx = count * ROW_PX;
  const ratioOf = (element: HTMLElement) => scrollRatio(rowsPx, element.clientHeight - HEAD_PX);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 6,
    initialRect: FIRST_RECT,
    observeElementOffset: (instance, report) =>
      observeElementOffset(instance, (offset, isScrolling) => {
        const element = instance.scrollElement;
        const total = instance.options.count * ROW_PX;
        const ratio = element ? scrollRatio(total, element.clientHeight - HEAD_PX) : 1;
        report(offset * ratio, isScrolling);
      }),
    rangeExtractor: (range: Range) => {
      const rows = defaultRangeExtractor(range);
      if (active !== null && active < range.count && !rows.includes(active)) rows.push(active);
      return rows;
    },
  });
  const offset = virtual.scrollOffset ?? 0;
  const ratio = scroller.current ? ratioOf(scroller.current) : scrollRatio(rowsPx, FIRST_RECT.height);
  const viewPx = (virtual.scrollRect?.height ?? FIRST_RECT.height) - HEAD_PX;

  return {
    scroller,
    items: virtual.getVirtualItems(),
    bodyPx: Math.min(rowsPx, MOST_PX),
    /** Top of a row in the body, pixels. */
    topOf: (index: number) => index * ROW_PX - offset + offset / ratio,
    /** Indexes of the rows that are seen; the last may be half of one. */
    seen: {
      from: Math.floor(offset / ROW_PX),
      to: Math.min(count - 1, Math.floor((offset + viewPx) / ROW_PX)),
    },
    /** Brings a row into view: by the least way, or to the middle. */
    scrollTo: (index: number, align: 'nearest' | 'center') => {
      const element = scroller.current;
      if (element === null) return;
      const top = index * ROW_PX;
      const view = element.clientHeight - HEAD_PX;
      const now = element.scrollTop * ratioOf(element);
      let target = now;
      if (align === 'center') target = top - (view - ROW_PX) / 2;
      else if (top < now) target = top;
      else if (top + ROW_PX > now + view) target = top + ROW_PX - view;
      if (target !== now) element.scrollTop = target / ratioOf(element);
    },
  };
}

/**
 * Pixels of rows per pixel of scrollbar: 1, unless the rows are higher than an element may be. Both ends meet.
 * @param rowsPx height of all rows
 * @param viewPx height of the visible part
 */
export function scrollRatio(rowsPx: number, viewPx: number): number {
  return rowsPx <= MOST_PX ? 1 : (rowsPx - viewPx) / (MOST_PX - viewPx);
}
