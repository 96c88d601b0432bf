'use client';
import { useSyncExternalStore } from 'react';
import { useLive } from './live-provider';

/** A primitive derived from the server's time. The component renders again only when the primitive changes. */
export function useClock<T extends string | number | boolean | null>(select: (now: number) => T): T {
  const { clock, renderedAt } = useLive();
  return useSyncExternalStore(
    clock.subscribe,
    () => select(clock.now()),
    () => select(renderedAt),
  );
}

/** The server's time in steps, milliseconds. */
export function useNow(stepMs = 1_000): number {
  return useClock((now) => Math.floor(now / stepMs) * stepMs);
}
