import { expect, it } from 'vitest';
import { formatRanges, parseRanges } from './seq-ranges';

it('reads ranges as Postgres prints them', () => {
  expect(parseRanges('{[1,5),[7,8)}')).toEqual([
    [1, 4],
    [7, 7],
  ]);
  expect(parseRanges('{}')).toEqual([]);
});

it('writes inclusive ranges, up to the largest seq', () => {
  expect(formatRanges([[1, 4]])).toBe('{[1,5)}');
  expect(formatRanges([[7, Number.MAX_SAFE_INTEGER]])).toBe('{[7,9007199254740992)}');
  expect(formatRanges([])).toBe('{}');
});
