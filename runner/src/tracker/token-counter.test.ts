import { expect, test } from 'vitest';
import { checkTokens } from './token-counter';

test.each([0, 1, Number.MAX_SAFE_INTEGER])('%s tokens are a count', (tokens) => {
  expect(checkTokens(tokens)).toBe(tokens);
});

test.each<[unknown, string]>([
  [-1, '-1'],
  [1.5, '1.5'],
  [Number.NaN, 'NaN'],
  [2 ** 53, '9007199254740992'],
  ['5', '5'],
  [null, 'null'],
  [Promise.resolve(5), 'a promise (SharedContextTracker takes such counters)'],
])('%s is none', (tokens, shown) => {
  expect(() => checkTokens(tokens)).toThrow(
    new RangeError(`a message counts a whole number of tokens from 0, but the counter returned ${shown}`),
  );
});
