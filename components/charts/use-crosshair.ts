'use client';
/**
 * Which place of a sheet the crosshair is at: by pointer, by a tap, by keys. It owns the place by its number,
 * not by its index, so that new points leave the crosshair in place.
 */
import { useMemo, useState } from 'react';

export type CrosshairState = ReturnType<typeof useCrosshair>;

/**
 * @param places ascending numbers of the places (turns, or minutes), and their x
 * @param rest number of the place it rests at without a pointer; null: nowhere
 */
export function useCrosshair(
  { keys, xs }: Record<'keys' | 'xs', readonly number[]>,
  rest: number | null = null,
) {
  const [held, setHeld] = useState<number | null>(null);
  const shown = held ?? rest;
  const index = useMemo(() => {
    const found = shown === null ? -1 : nearestIndex(keys, shown);
    return found === -1 ? null : found;
  }, [keys, shown]);
  const last = keys.length - 1;
  return {
    index,
    moveTo: (x: number) => setHeld(keys[nearestIndex(xs, x)] ?? null),
    /** By so many places; from the last one where it is nowhere yet. */
    step: (by: number) => setHeld(keys[Math.max(0, Math.min((index ?? last) + by, last))] ?? null),
    clear: () => setHeld(null),
    /** A pointer that is no finger left: a tap stays to be read. */
    leave: ({ pointerType }: { pointerType: string }) => {
      if (pointerType !== 'touch') setHeld(null);
    },
  };
}

/** Index of the value nearest to `wanted` in ascending values, the lower of two that are as near; -1 without any. */
function nearestIndex(values: readonly number[], wanted: number): number {
  let nearest = -1;
  for (const [index, value] of values.entries()) {
    const best = values[nearest];
    if (best === undefined || Math.abs(value - wanted) < Math.abs(best - wanted)) nearest = index;
  }
  return nearest;
}
