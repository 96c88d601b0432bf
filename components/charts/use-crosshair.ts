'use client';
/** Position of the crosshair, stored as a turn or minute instead of an index, so that new points do not move it. */
import { useMemo, useState } from 'react';

export type CrosshairState = ReturnType<typeof useCrosshair>;

/**
 * @param places `keys` lists turns or minutes in ascending order, `xs` the x of each key
 * @param rest position while there is no pointer; null: no crosshair
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
    step: (by: number) => setHeld(keys[Math.max(0, Math.min((index ?? last) + by, last))] ?? null),
    clear: () => setHeld(null),
    /** A mouse that leaves clears the crosshair. After a tap the crosshair stays. */
    leave: ({ pointerType }: { pointerType: string }) => {
      if (pointerType !== 'touch') setHeld(null);
    },
  };
}

/** Index of the value nearest to `wanted`; the lower index on a tie; -1 without values. */
function nearestIndex(values: readonly number[], wanted: number): number {
  let nearest = -1;
  for (const [index, value] of values.entries()) {
    const best = values[nearest];
    if (best === undefined || Math.abs(value - wanted) < Math.abs(best - wanted)) nearest = index;
  }
  return nearest;
}
