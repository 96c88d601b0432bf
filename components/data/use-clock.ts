'use client';
import { useSyncExternalStore } from 'react';
import { useLive } from './live-provider';

/**
 * Something that follows from the server's time, looked at once a second. The component renders again only
 * when the answer differs, so return a primitive: `useClock((now) => formatAge(now - at))`.
 */
export function useClock<T extends string | number | boolean | null>(select: (now: number) => T): T {
  const { clock, renderedAt } = useLive();
  return useSyncExternalStore(
    clock.subscribe,
    () => select(clock.now()),
    () => select(renderedAt),
  );
}

/** The server's time in steps, for axes that move with it. */
export function useNow(stepMs = 1_000): number {
  return useClock((now) => Math.floor(now / stepMs) * stepMs);
}
