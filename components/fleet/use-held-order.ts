'use client';
import { type FocusEvent, useMemo, useState } from 'react';
import { type HeldOrder, holdOrder } from './hold-order';

interface Hold {
  /** What the viewer asked for when the order was held; another question lets go. */
  question: string;
  order: readonly string[];
}

interface HeldHandlers {
  onPointerEnter: () => void;
  onPointerLeave: () => void;
  onFocus: () => void;
  onBlur: (event: FocusEvent<HTMLElement>) => void;
}

/**
 * Keeps the order of rows while the pointer or the focus is among them.
 * @param wanted ids in their order now
 * @param question filters and sort as text: when the viewer changes them, the list follows at once
 */
export function useHeldOrder(
  wanted: readonly string[],
  question: string,
): HeldOrder & { release: () => void; letGo: () => void; handlers: HeldHandlers } {
  const [pointer, setPointer] = useState(false);
  const [focus, setFocus] = useState(false);
  const [hold, setHold] = useState<Hold | null>(null);
  const holding = pointer || focus;

  let held = hold;
  if (holding && (hold === null || hold.question !== question)) held = { question, order: wanted };
  if (!holding) held = null;
  if (held !== hold) setHold(held);

  const order = held?.order ?? null;
  // Not at each frame of a scroll: to count what moved looks at every row.
  const shown = useMemo(() => holdOrder(order, wanted), [order, wanted]);

  return {
    ...shown,
    /** Shows the new order, and holds that one. */
    release: () => setHold(holding ? { question, order: wanted } : null),
    /** Holds nothing until the pointer or the focus comes anew. */
    letGo: () => {
      setPointer(false);
      setFocus(false);
    },
    handlers: {
      onPointerEnter: () => setPointer(true),
      onPointerLeave: () => setPointer(false),
      onFocus: () => setFocus(true),
      onBlur: (event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setFocus(false);
      },
    },
  };
}
