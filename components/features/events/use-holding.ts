'use client';
import { type FocusEvent, useEffect, useState } from 'react';

/** Scrolled further than this, the viewer reads. Pixels. */
const READING_FROM_PX = 8;

interface Holding {
  isHeld: boolean;
  /** For the stream with its filters: the way to the news that wait must not let them in. */
  pointerHandlers: { onPointerEnter: () => void; onPointerLeave: () => void };
  /** For the rows. */
  focusHandlers: { onFocus: () => void; onBlur: (event: FocusEvent<HTMLElement>) => void };
}

/** Whether the viewer reads: pointer or focus in the stream, or a scrolled page. */
export function useHolding(): Holding {
  const [pointer, setPointer] = useState(false);
  const [focus, setFocus] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  useEffect(() => {
    const look = () => setScrolled(window.scrollY > READING_FROM_PX);
    look();
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  return {
    isHeld: pointer || focus || scrolled,
    pointerHandlers: {
      onPointerEnter: () => setPointer(true),
      onPointerLeave: () => setPointer(false),
    },
    focusHandlers: {
      onFocus: () => setFocus(true),
      onBlur: (event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setFocus(false);
      },
    },
  };
}
