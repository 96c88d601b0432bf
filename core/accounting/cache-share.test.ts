import { expect, it } from 'vitest';
import { cacheShareOf } from './cache-share';

it('is what came from the cache of all that was sent, and nothing where nothing was sent', () => {
  expect(cacheShareOf({ input: 10, cacheRead: 60, cacheCreation: 30 })).toBe(0.6);
  expect(cacheShareOf({ input: 0, cacheRead: 5, cacheCreation: 0 })).toBe(1);
  expect(cacheShareOf({ input: 1, cacheRead: 0, cacheCreation: 0 })).toBe(0);
  expect(cacheShareOf({ input: 0, cacheRead: 0, cacheCreation: 0 })).toBeNull();
});
