import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** Waits between attempts, milliseconds; the last one repeats. Together about five minutes. */
const WAITS_MS = [500, 1_000, 2_000, 5_000, 10_000];
const MOST_ATTEMPTS = 33;

/**
 * As React's `lazy`, with retries: the page recovers from an outage of the server.
 * @param load `() => import('./part')`
 */
export function lazyPart<Props>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await load();
      } catch (error) {
        if (attempt >= MOST_ATTEMPTS) throw error;
        const waitMs = WAITS_MS[Math.min(attempt, WAITS_MS.length) - 1];
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  });
}
