'use client';
import { startTransition, useEffect, useState } from 'react';

/**
 * The value, for what is dear to draw: it follows in a rendering of slices, which gives way to the hand. Unlike a
 * deferred value it is of the same rank as the fleet's own changes, so that those never put it off.
 */
export function useUnhurried<T>(value: T): T {
  const [shown, setShown] = useState(value);
  useEffect(() => startTransition(() => setShown(() => value)), [value]);
  return shown;
}
