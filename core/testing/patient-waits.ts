/** Vitest setup: `vi.waitFor` and `vi.waitUntil` wait as long as `expect.poll`, for which the configuration has a default. */
import { vi } from 'vitest';
import { PATIENCE_MS } from './patience';

type Options = number | { timeout?: number; interval?: number } | undefined;

const patient = (options: Options) => ({
  timeout: PATIENCE_MS,
  ...(typeof options === 'number' ? { timeout: options } : options),
});

const { waitFor, waitUntil } = vi;
vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));
