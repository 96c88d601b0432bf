import fc from 'fast-check';
import { expect, test } from 'vitest';
import { percentLine, percentOf, reaches, tokensAtLine } from './percent-line';

const limits = fc.oneof(
  fc.integer({ min: 1, max: 2_000_000 }),
  fc.maxSafeInteger().filter((limit) => limit > 0),
);

test('the restart line of 200 000 lies at 180 000: 89 % is below it, 90 % and 91 % are not', () => {
  const line = percentLine(90);
  expect(tokensAtLine(line, 200_000)).toBe(180_000);
  expect([178_000, 179_999, 180_000, 182_000].map((tokens) => reaches(tokens, 200_000, line))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test('exactly 50, 75, 85 and 100 per cent of a limit reach their line, and one token less does not', () => {
  for (const percent of [50, 75, 85, 100]) {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Math.floor(Number.MAX_SAFE_INTEGER / 100) }), (hundredth) => {
        const line = percentLine(percent);
        expect(reaches(hundredth * percent, hundredth * 100, line)).toBe(true);
        expect(reaches(hundredth * percent - 1, hundredth * 100, line)).toBe(false);
      }),
    );
  }
});

test('limits that no percentage divides evenly round their lines down', () => {
  expect([50, 75, 85, 90].map((percent) => tokensAtLine(percentLine(percent), 3))).toEqual([1, 2, 2, 2]);
  expect([50, 75, 85, 90].map((percent) => tokensAtLine(percentLine(percent), 7))).toEqual([3, 5, 5, 6]);
});

test('a limit beyond 10^15 keeps its lines apart to the token', () => {
  const limit = 1e15;
  const line = percentLine(75);
  expect(tokensAtLine(line, limit)).toBe(750_000_000_000_000);
  expect(reaches(749_999_999_999_999, limit, line)).toBe(false);
  expect(reaches(750_000_000_000_000, limit, line)).toBe(true);
  expect(tokensAtLine(percentLine(90), 999_999_999_999_991)).toBe(899_999_999_999_991);
  expect(tokensAtLine(percentLine(90), Number.MAX_SAFE_INTEGER)).toBe(8_106_479_329_266_891);
});

test('a percentage is read as the decimal it is written as, not as its binary neighbour', () => {
  expect(tokensAtLine(percentLine(29), 100)).toBe(29);
  expect(tokensAtLine(percentLine(57.5), 1_000)).toBe(575);
  expect(tokensAtLine(percentLine(1e-7), 1e15)).toBe(1_000_000);
  expect(tokensAtLine(percentLine(1e21), 5)).toBe(5e19);
  expect(tokensAtLine(percentLine(0), 5)).toBe(0);
});

test('the tokens at a line reach it only where it divides evenly, and one token more always does', () => {
  fc.assert(
    fc.property(limits, fc.integer({ min: 1, max: 9_999 }), (limit, hundredths) => {
      const line = percentLine(hundredths / 100);
      const at = tokensAtLine(line, limit);
      fc.pre(at < Number.MAX_SAFE_INTEGER);
      expect(reaches(at + 1, limit, line)).toBe(true);
      expect(reaches(at, limit, line)).toBe((BigInt(limit) * BigInt(hundredths)) % 10_000n === 0n);
    }),
  );
});

test('without a limit usage is 0 per cent, never NaN or Infinity, and no line is reached', () => {
  for (const limit of [0, -1, -200_000]) {
    expect(percentOf(5_000, limit)).toBe(0);
    expect(percentOf(0, limit)).toBe(0);
    expect(reaches(5_000, limit, percentLine(50))).toBe(false);
    expect(tokensAtLine(percentLine(90), limit)).toBe(0);
  }
});

test('a percentage above 100 is not clamped', () => {
  expect(percentOf(240_000, 200_000)).toBe(120);
});
