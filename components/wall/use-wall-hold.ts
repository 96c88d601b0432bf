'use client';
import { useEffect, useRef, useState } from 'react';
import { useHeldOrder } from '../fleet/use-held-order';

/** A pointer that was left lying on the wall holds nothing. */
const STILL_AFTER_MS = 10_000;

/** Keeps the cards where they are while the pointer moves over them or the focus is among them. */
export function useWallHold(wanted: readonly string[], question: string) {
  const { order, handlers } = useHeldOrder(wanted, question);
  const [still, setStill] = useState(true);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  function rest(): void {
    clearTimeout(timer.current);
    setStill(true);
    handlers.onPointerLeave();
  }
  return {
    order,
    /** The pointer lies still: it need not be seen. */
    still,
    handlers: {
      onPointerMove: () => {
        clearTimeout(timer.current);
        timer.current = setTimeout(rest, STILL_AFTER_MS);
        setStill(false);
        handlers.onPointerEnter();
      },
      onPointerLeave: rest,
      onFocus: handlers.onFocus,
      onBlur: handlers.onBlur,
    },
  };
}
