import { expect, it } from 'vitest';
import { TEST_NOON, testHistory, testPoint } from './history.fixture';
import { firstRange, recordedSpan } from './recorded-range';

const HOUR = 3_600_000;

it('a range that is blank for most of its beginning has a shorter one: from the first slot to the last', () => {
  expect(recordedSpan(testHistory([testPoint(8), testPoint(10)]))).toEqual({
    from: TEST_NOON + 8 * HOUR,
    to: TEST_NOON + 11 * HOUR,
  });
});

it('a range that is used from early on is kept, however much is blank after it', () => {
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

const NOW = Date.UTC(2026, 10, 22, 18, 0, 30);
const recorded =
  (...at: number[]) =>
  async (since: number) =>
    at.find((one) => one >= since) ?? null;
const span = async (...asked: Parameters<typeof firstRange>) => {
  const range = await firstRange(...asked);
  return range && [range.from.toISOString().slice(8, 16), range.to?.toISOString().slice(8, 16) ?? 'now'];
};

it('is the usual range where that holds something over a good part of its length', async () => {
  expect(await span(NOW, NOW - HOUR, recorded(NOW - 20 * HOUR))).toBeNull();
  expect(await span(NOW, NOW - HOUR, recorded(NOW - 10 * HOUR))).toBeNull();
});

it('begins with the first thing of a first day, and goes on with the clock', async () => {
  expect(await span(NOW, NOW - 1_000, recorded(NOW - 2 * HOUR))).toEqual(['22T16:00', 'now']);
  expect(await span(NOW, NOW - 1_000, recorded(NOW - 300 * HOUR, NOW - 3 * HOUR))).toEqual([
    '22T15:00',
    'now',
  ]);
});

it('leaves an hour of paper to a first turn, also before history knows of it', async () => {
  expect(await span(NOW, NOW - 1_000, recorded(NOW - 60_000))).toEqual(['22T17:00', 'now']);
  expect(await span(NOW, NOW - 1_000, recorded())).toEqual(['22T17:00', 'now']);
});

it('leads a fleet that has rested for days to the last of its days', async () => {
  const newest = NOW - 240 * HOUR;
  expect(await span(NOW, newest, recorded(newest - 20 * HOUR))).toEqual(['11T18:01', '12T18:02']);
  expect(await span(NOW, newest, recorded(newest - 3 * HOUR))).toEqual(['12T15:00', '12T18:02']);
});

it('is the usual range where nothing was ever recorded', async () => {
  expect(await span(NOW, null, recorded())).toBeNull();
});
