'use client';
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';

export const ROW_PX = 26;
const HEAD_PX = 28;

/**
 * The place in a table of turns: which rows are seen, and how to get to another.
 * @param active index of the row that has the focus, which stays rendered; null: none
 */
export function useTurnScroll(count: number, active: number | null) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 6,
    initialRect: { width: 1_000, height: 420 },
    // The head sticks over the first rows.
    paddingStart: HEAD_PX,
    scrollPaddingStart: HEAD_PX,
    rangeExtractor: (range: Range) => {
      const rows = defaultRangeExtractor(range);
      if (active !== null && active < range.count && !rows.includes(active)) rows.push(active);
      return rows;
    },
  });
  const offset = virtual.scrollOffset ?? 0;
  const viewPx = (virtual.scrollRect?.height ?? 0) - HEAD_PX;
  return {
    scroller,
    items: virtual.getVirtualItems(),
    /** Indexes of the rows that are seen; the last may be half of one. */
    seen: {
      from: Math.floor(offset / ROW_PX),
      to: Math.min(count - 1, Math.floor((offset + viewPx) / ROW_PX)),
    },
    scrollTo: (index: number, align: 'auto' | 'center') => virtual.scrollToIndex(index, { align }),
  };
}
