'use client';
/**
 * Keeps a row in place while other rows load and change their height: after a jump, and after a change of the window's
 * width, which gives every row another height. After such a change the row of the last jump returns to its place, if it
 * is still on screen and the viewer has not scrolled; otherwise the row below the sticky bar stays.
 */
import type { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

type Virtual = ReturnType<typeof useWindowVirtualizer<HTMLLIElement>>;

/** The row stays in place for this time. */
const HOLD_MS = 2_500;

interface HeldRow {
  row: number;
  align: 'start' | 'center';
  /** Part of the row that the sticky bar covers, 0 to 1. */
  covered: number;
}

/**
 * @param stickyPx height of the sticky bar above the rows, pixels
 * @param jumpUntil until this time of `performance.now()` the row of a jump stays in place
 * @param layout changes when the row may move
 * @returns a function that jumps to a row
 */
export function useHeldRow(
  virtual: Virtual,
  stickyPx: number,
  jumpUntil: RefObject<number>,
  layout: string,
): (row: number, align: HeldRow['align']) => void {
  const held = useRef<HeldRow | null>(null);
  const until = useRef(0);
  const [width, setWidth] = useState(() => window.innerWidth);
  const measured = useRef(width);

  const place = useCallback(() => {
    const { row, align, covered } = held.current ?? { row: -1, align: 'start', covered: 0 };
    const item = virtual.measurementsCache[row];
    if (item === undefined) return;
    if (covered === 0) virtual.scrollToIndex(row, { align });
    else virtual.scrollToOffset(item.start + covered * item.size - stickyPx);
  }, [virtual, stickyPx]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the row moves when the layout changes
  useLayoutEffect(() => {
    if (performance.now() >= until.current) return;
    place();
    if (measured.current === width) return;
    measured.current = width;
    // The browser reports a row only when its size changes.
    for (const row of virtual.elementsCache.values()) virtual.measureElement(row);
  }, [place, layout, width]);

  useEffect(() => {
    const ended = new AbortController();
    const release = () => {
      held.current = null;
      until.current = 0;
      jumpUntil.current = 0;
    };
    for (const name of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
      window.addEventListener(name, release, { capture: true, passive: true, signal: ended.signal });
    return () => ended.abort();
  }, [jumpUntil]);

  useEffect(() => {
    const changeWidth = () => {
      if (window.innerWidth === width) return;
      const { startIndex = 0, endIndex = -1 } = virtual.range ?? {};
      const row = held.current?.row ?? -1;
      if (row < startIndex || row > endIndex) held.current = rowBelow(virtual, stickyPx);
      until.current = performance.now() + HOLD_MS;
      // Before the browser paints the new width with the old heights.
      flushSync(() => {
        virtual.measure();
        setWidth(window.innerWidth);
      });
    };
    window.addEventListener('resize', changeWidth);
    return () => window.removeEventListener('resize', changeWidth);
  }, [virtual, width, stickyPx]);

  return useCallback(
    (row, align) => {
      held.current = { row, align, covered: 0 };
      until.current = performance.now() + HOLD_MS;
      jumpUntil.current = until.current;
      place();
    },
    [place, jumpUntil],
  );
}

/** The row at the lower edge of the sticky bar; null: the page is scrolled less than that. */
function rowBelow(virtual: Virtual, stickyPx: number): HeldRow | null {
  const edge = (virtual.scrollOffset ?? 0) + stickyPx;
  const item = virtual.getVirtualItemForOffset(edge);
  if (item === undefined || edge < item.start) return null;
  return { row: item.index, align: 'start', covered: Math.min(1, (edge - item.start) / item.size) };
}
