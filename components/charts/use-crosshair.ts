'use client';
/**
 * Which place of a sheet the crosshair is at: by pointer, by a tap, by keys. It owns the place by its number,
 * not by its index, so that new points leave the crosshair in place.
 */
import { useMemo, useState } from 'react';
import { nearestIndex } from './nearest-index';

export interface CrosshairPlaces {
  /** Ascending numbers of the places: turns, or minutes. */
  keys: readonly number[];
  /** x of each place, ascending. */
  xs: readonly number[];
}

export interface CrosshairState {
  /** Of the place under the crosshair; null: it is nowhere. */
  index: number | null;
  /** To the place nearest to x. */
  moveTo: (x: number) => void;
  /** By so many places; from the last one where it is nowhere yet. */
  step: (by: number) => void;
  clear: () => void;
  /** A pointer that is no finger left: a tap stays to be read. */
  leave: (event: { pointerType: string }) => void;
}

/** @param rest number of the place it rests at without a pointer; null: nowhere */
export function useCrosshair({ keys, xs }: CrosshairPlaces, rest: number | null = null): CrosshairState {
  const [held, setHeld] = useState<number | null>(null);
  const shown = held ?? rest;
  const index = useMemo(() => {
    const found = shown === null ? -1 : nearestIndex(keys, shown);
    return found === -1 ? null : found;
  }, [keys, shown]);
  const last = keys.length - 1;
  return {
    index,
    moveTo: (x) => setHeld(keys[nearestIndex(xs, x)] ?? null),
    step: (by) => setHeld(keys[Math.max(0, Math.min((index ?? last) + by, last))] ?? null),
    clear: () => setHeld(null),
    leave: ({ pointerType }) => {
      if (pointerType !== 'touch') setHeld(null);
    },
  };
}
