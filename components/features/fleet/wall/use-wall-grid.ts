'use client';
import { type RefObject, useLayoutEffect, useMemo, useState } from 'react';
import { type WallGrid, type WallSpace, wallGrid, wallUnit } from './wall-grid';

/** What the server draws for: a screen of 16 : 9 of any size, for cards grow with their cells. */
const FIRST_SPACE: WallSpace = { width: 1872, height: 892, unit: 1 };

/** The grid for so many sessions in the room that the element has, kept up to date. */
export function useWallGrid(element: RefObject<Element | null>, wished: number, all: number): WallGrid {
  const [space, setSpace] = useState(FIRST_SPACE);
  useLayoutEffect(() => {
    const target = element.current;
    if (target === null) return;
    const observer = new ResizeObserver(() => {
      const { width, height } = target.getBoundingClientRect();
      if (width > 0) setSpace({ width, height, unit: wallUnit(innerWidth, innerHeight) });
    });
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  return useMemo(() => wallGrid(wished, all, space), [wished, all, space]);
}
