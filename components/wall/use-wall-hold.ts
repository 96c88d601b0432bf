'use client';
import { useEffect, useRef, useState } from 'react';
import { useHeldOrder } from '../fleet/use-held-order';

/** A pointer that was left lying on the wall, or a focus left on a card, holds nothing. */
const STILL_AFTER_MS = 10_000;

/** Keeps the cards where they are while somebody moves the pointer over them or walks them by keys. */
export function useWallHold(wanted: readonly string[], question: string) {
  const { order, handlers, letGo } = useHeldOrder(wanted, question);
  const [still, setStill] = useState(true);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  function rest(): void {
    clearTimeout(timer.current);
    setStill(true);
    letGo();
  }
  function stir(): void {
    clearTimeout(timer.current);
    timer.current = setTimeout(rest, STILL_AFTER_MS);
  }
  return {
    order,
    /** Nobody moves the pointer: it need not be seen. */
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
