import { expect, it } from 'vitest';
import { recordedSpan } from './recorded-span';
import { TEST_NOON, testHistory, testPoint } from './testing-history';

const HOUR = 3_600_000;

it('a range that is blank for most of its beginning has a shorter one: from the first slot to the last', () => {
  expect(recordedSpan(testHistory([testPoint(8), testPoint(10)]))).toEqual({
    from: TEST_NOON + 8 * HOUR,
    to: TEST_NOON + 11 * HOUR,
  });
});

it('a range that is used from early on is right as it is, however much is blank after it', () => {
  expect(recordedSpan(testHistory([testPoint(7), testPoint(11)]))).toBeNull();
  expect(recordedSpan(testHistory([testPoint(0)]))).toBeNull();
});

it('a range without anything has none', () => {
  expect(recordedSpan(testHistory([]))).toBeNull();
});

it('a range that cannot be much shorter is left alone', () => {
  const point = { ...testPoint(0), from: new Date(TEST_NOON + 9 * 60_000).toISOString() };
  const history = { ...testHistory([point]), to: new Date(TEST_NOON + 10 * 60_000).toISOString() };
  expect(recordedSpan(history)).toBeNull();
});
