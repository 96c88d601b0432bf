'use client';
import { type FocusEvent, useState } from 'react';

interface Hold {
  /** Filters and sort at the start of the hold; a change releases the order. */
  question: string;
  order: readonly string[];
}

/**
 * Keep the order of rows while the pointer or the focus is among them.
 * @param wanted ids in their current order
 * @param question filters and sort as text: when the viewer changes them, the list follows at once
 * @returns `changed`: the wanted order differs from the shown order
 */
export function useHeldOrder(wanted: readonly string[], question: string) {
  const [pointer, setPointer] = useState(false);
  const [focus, setFocus] = useState(false);
  const [hold, setHold] = useState<Hold | null>(null);
  const holding = pointer || focus;

  let held = hold;
  if (holding && (hold === null || hold.question !== question)) held = { question, order: wanted };
  if (!holding) held = null;
  if (held !== hold) setHold(held);

  const order = held?.order ?? wanted;
  return {
    order,
    changed: order.length !== wanted.length || order.some((id, index) => id !== wanted[index]),
    /** Show the wanted order, and hold it. */
    update: () => setHold(holding ? { question, order: wanted } : null),
    /** Hold nothing until the pointer or the focus returns. */
    release: () => {
      setPointer(false);
      setFocus(false);
    },
    handlers: {
      onPointerEnter: () => setPointer(true),
      onPointerLeave: () => setPointer(false),
      onFocus: () => setFocus(true),
      onBlur: (event: FocusEvent<HTMLElement>) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setFocus(false);
      },
    },
  };
}
