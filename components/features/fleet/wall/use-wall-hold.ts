'use client';
import { useEffect, useRef, useState } from 'react';
import { useHeldOrder } from '../../../ui/use-held-order';

/** A resting pointer or focus holds nothing. */
const STILL_AFTER_MS = 10_000;

/** Keeps the cards where they are while the pointer moves over them or the keyboard walks them. */
export function useWallHold(wanted: readonly string[], question: string) {
  const { order, handlers, release } = useHeldOrder(wanted, question);
  const [still, setStill] = useState(true);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  function rest(): void {
    clearTimeout(timer.current);
    setStill(true);
    release();
  }
  function stir(): void {
    clearTimeout(timer.current);
    timer.current = setTimeout(rest, STILL_AFTER_MS);
  }
  return {
    order,
    /** The pointer rests and can be hidden. */
    still,
    handlers: {
      onPointerMove: () => {
        stir();
        setStill(false);
        handlers.onPointerEnter();
      },
      onPointerLeave: () => {
        setStill(true);
        handlers.onPointerLeave();
      },
      onFocus: () => {
        stir();
        handlers.onFocus();
      },
      onKeyDown: () => {
        stir();
        handlers.onFocus();
      },
      onBlur: handlers.onBlur,
    },
  };
}
