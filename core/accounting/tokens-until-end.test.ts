import { expect, it } from 'vitest';
import { tokensUntilEnd } from './tokens-until-end';

it('is what is left until the client compacts, else until the limit, and never below 0', () => {
  expect(tokensUntilEnd({ used: 100, limit: 200, compactsAt: 167 })).toBe(67);
  expect(tokensUntilEnd({ used: 100, limit: 200, compactsAt: null })).toBe(100);
  expect(tokensUntilEnd({ used: 180, limit: 200, compactsAt: 167 })).toBe(0);
});

it('is not known without a size or an end', () => {
  expect(tokensUntilEnd({ used: null, limit: 200, compactsAt: 167 })).toBeNull();
  expect(tokensUntilEnd({ used: 100, limit: null, compactsAt: null })).toBeNull();
});
