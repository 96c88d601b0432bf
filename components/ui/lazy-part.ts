import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

const RETRY_MS = 2_000;
/** Retries stop after five minutes. */
const MOST_ATTEMPTS = 150;

/** React's `lazy`, with retries: the page recovers from an outage of the server. */
export function lazyPart<Props>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    for (let attempt = 1; attempt < MOST_ATTEMPTS; attempt += 1) {
      const part = await load().catch(() => null);
      if (part !== null) return part;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    return load();
  });
}
