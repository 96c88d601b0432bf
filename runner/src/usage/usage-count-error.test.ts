import { expect, test } from 'vitest';
import { requireCount, requireSize } from './usage-count-error';
import { UsageProcessor } from './usage-processor';

const refusal = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
};

test('refuses an invalid count with the vendor’s field name and the value', () => {
  expect(refusal(() => requireCount(1.5, 'inputTokens', 'usage.input_tokens'))).toMatchObject({
    name: 'UsageCountError',
    code: 'invalid_count',
    field: 'inputTokens',
    message: '"usage.input_tokens" must be a whole number from −(2^53−1) to 2^53−1, but is 1.5',
  });
  expect(refusal(() => requireCount('5', 'outputTokens'))).toMatchObject({
    field: 'outputTokens',
    message: '"outputTokens" must be a whole number from −(2^53−1) to 2^53−1, but is a value of type string',
  });
});

test('refuses a size below 0', () => {
  for (const size of [0, 1, undefined])
    expect(refusal(() => requireSize(size, 'contextTokens'))).toBeUndefined();
  expect(refusal(() => requireSize(-1, 'contextTokens'))).toMatchObject({
    code: 'invalid_count',
    field: 'contextTokens',
    message: '"contextTokens" must not be below 0, but is -1',
  });
});

test('counts the increase of running totals, or the full totals if one of them falls', () => {
  const spentOf = (...totals: [number, number, number, number][]) => {
    const processor = new UsageProcessor({ runningTotals: true, restartLine: 1.1 });
    const turns = totals.map(([input, output, cacheRead, cacheCreation]) => {
      const { usage } = processor.process({
        usage: {
          inputTokens: input,
          outputTokens: output,
          cacheReadTokens: cacheRead,
          cacheCreationTokens: cacheCreation,
        },
      });
      return (
        usage && [usage.inputTokens, usage.outputTokens, usage.cacheReadTokens, usage.cacheCreationTokens]
      );
    });
    return turns.at(-1);
  };
  expect(spentOf([10, 20, 30, 40], [11, 22, 33, 44])).toEqual([1, 2, 3, 4]);
  const fallen: [number, number, number, number][] = [
    [1, 99, 99, 99],
    [99, 1, 99, 99],
    [99, 99, 1, 99],
    [99, 99, 99, 1],
  ];
  for (const totals of fallen) expect(spentOf([50, 50, 50, 50], totals)).toEqual(totals);
});
