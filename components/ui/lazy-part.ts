/**
 * Parts of a page loaded on demand, with retries: the page recovers from an outage of the server, and reports a part that
 * never loads only after minutes.
 */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** Waits between attempts, milliseconds; the last one repeats. Together about five minutes. */
const WAITS_MS = [500, 1_000, 2_000, 5_000, 10_000];
const MOST_ATTEMPTS = 33;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * As React's `lazy`, and asks again where loading failed.
 * @param load `() => import('./part')`
 */
export function lazyPart<Props>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(() => insist(load));
}

/** @throws what the last attempt was refused with */
export async function insist<T>(load: () => Promise<T>, wait = sleep): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await load();
    } catch (error) {
      if (attempt >= MOST_ATTEMPTS) throw error;
      await wait(WAITS_MS[Math.min(attempt, WAITS_MS.length) - 1] ?? 0);
    }
  }
}
