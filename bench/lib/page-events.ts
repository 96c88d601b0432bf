/** Time from each key, click and pointer event of a page to its next paint. */
import { setTimeout as rest } from 'node:timers/promises';
import type { Page } from '@playwright/test';

/** Pause after an action, so that the action ends before the next one. */
const PAUSE_MS = 250;
/** The browser reports no shorter time. */
const SHORTEST_MS = 16;

declare global {
  interface Window {
    benchEvents: Map<number, number>;
  }
}

/** An init script, which runs before the page's scripts. Contains no named functions, because the compiler would wrap them. */
export function recordEvents(): void {
  const longest = new Map<number, number>();
  window.benchEvents = longest;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as PerformanceEventTiming[]) {
      // Events of one interaction share an id; hovering has no id.
      if (entry.interactionId === 0) continue;
      longest.set(entry.interactionId, Math.max(longest.get(entry.interactionId) ?? 0, entry.duration));
    }
  }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit);
}

/** Acts one after another. @returns milliseconds to paint of each interaction, at least 16 */
export async function paintTimes(
  page: Page,
  actions: readonly (() => Promise<unknown>)[],
): Promise<number[]> {
  await page.evaluate(() => window.benchEvents.clear());
  for (const act of actions) {
    await act();
    await rest(PAUSE_MS);
  }
  const times = await page.evaluate(() => [...window.benchEvents.values()]);
  while (times.length < actions.length) times.push(SHORTEST_MS);
  return times;
}

/** `times` repetitions of a key. */
export const presses = (page: Page, key: string, times = 1) =>
  Array.from({ length: times }, () => () => page.keyboard.press(key));
