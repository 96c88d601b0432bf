import { expect, test } from 'vitest';
import { inspectUsage } from './read-usage';

test('why there is no usage is said: nothing was stated, or in a shape that nobody knows', () => {
  for (const nothing of [null, undefined, 'text', { usage: null }, { type: 'result' }]) {
    expect(inspectUsage(nothing)).toEqual({ found: false, reason: 'absent' });
  }
  expect(inspectUsage({ usage: { tokens_of_tomorrow: 5 } })).toEqual({
    found: false,
    reason: 'unknown_shape',
  });
});

test('within a usage a common name tells its shape even where its count is null, elsewhere a number must', () => {
  const counts = { input: null, output: null };
  expect(inspectUsage({ usage: counts })).toMatchObject({
    found: true,
    usage: { inputTokens: 0, outputTokens: 0, contextTokens: null },
  });
  expect(inspectUsage(counts)).toEqual({ found: false, reason: 'absent' });
  expect(inspectUsage({ input: 5 })).toMatchObject({ found: true, usage: { inputTokens: 5 } });
});
