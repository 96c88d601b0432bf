import { expect, test } from 'vitest';
import { estimateTokens } from './index';

test.each([
  ['', 0],
  ['a', 1],
  ['abcd', 1],
  ['abcde', 2],
  ['🌡️🌡️', 1],
])('estimates %j as a quarter of its characters, rounded up: %i', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});
