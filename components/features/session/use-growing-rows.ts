'use client';
import { useState } from 'react';

/** So near to its end a list grows, pixels: before one sees that it has one. */
const AHEAD = 600;

/** How much of a long list is drawn: as much as is seen at first, and more as one goes down in it. */
export function useGrowingRows(first: number, step: number) {
  const [most, setMost] = useState(first);
  const onScroll = ({ currentTarget }: React.UIEvent<HTMLElement>) => {
    const { scrollHeight, scrollTop, clientHeight } = currentTarget;
    if (scrollHeight - scrollTop - clientHeight < AHEAD) setMost((rows) => rows + step);
  };
  return { most, onScroll };
}
