import { describe, expect, it } from 'vitest';
import { formatBytes } from './format-bytes';
import { formatAge, formatDuration, formatMinutes, shownMinutes } from './format-duration';
import { formatPercent, formatPercentExact } from './format-percent';
import { formatClock, formatInstant, formatSince, formatWhen } from './format-time';
import { formatCount, formatExact, formatTokenChange, formatTokens } from './format-tokens';

/** Writes non-breaking spaces as plain ones, narrow spaces as `_`, and the minus sign as `-`. */
const plain = (text: string) =>
  text.replaceAll('\u00a0', ' ').replaceAll('\u202f', '_').replaceAll('\u2212', '-');
const HOUR = 3_600_000;

describe('formats', () => {
  it.each<[(value: number) => string, values: number[], texts: string]>([
    [
      formatExact,
      [1_432_262, 487, -95_469, Number.MAX_SAFE_INTEGER],
      '1_432_262 | 487 | -95_469 | 9_007_199_254_740_991',
    ],
    [
      formatTokens,
      [0, 999.4, 999.6, 9_949, 9_960, 181_960, 999_499, 999_500, 29_000_000, 2_345_678_901, -2_840],
      '0 | 999 | 1.0 k | 9.9 k | 10 k | 182 k | 999 k | 1.00 M | 29.00 M | 2_346 M | -2.8 k',
    ],
    [formatTokenChange, [1_240, -95_469, 99_960, 0], '+1.2 k | -95.5 k | +100 k | 0'],
    [
      formatBytes,
      [0, 999, 9_400, 999_499, 999_500, 104_857_600, 1_240_000_000],
      '0 B | 999 B | 9.4 kB | 999 kB | 1.0 MB | 105 MB | 1.24 GB',
    ],
    [
      formatPercent,
      [0, 0.000_4, 0.031_835, 0.05, 0.099_9, 0.1, 0.4999, 0.999_99, 1, 7.19],
      '0 % | <0.1 % | 3.2 % | 5.0 % | 9.9 % | 10 % | 49 % | 99 % | 100 % | 719 %',
    ],
    [formatPercentExact, [0.031_835, 0.9, 0.89999], '3.18 % | 90.00 % | 89.99 %'],
    [formatAge, [-500, 59_999, 60_000, HOUR, 47 * HOUR, 49 * HOUR], '0 s | 59 s | 1 min | 1 h | 47 h | 2 d'],
    [
      formatMinutes,
      [0.99, 1.4, 18.9, 119.4, 119.9, 151, 47.6 * 60, 5 * 24 * 60],
      '<1 min | 1 min | 19 min | 119 min | 2 h | 3 h | 2 d | 5 d',
    ],
    [
      formatDuration,
      [850, 999.6, 77_900, 119_900, 119.9 * 60_000, 125 * 60_000],
      '850 ms | 1 s | 78 s | 2 min | 2 h 00 min | 2 h 05 min',
    ],
  ])('match their examples: %o', (format, values, texts) => {
    expect(values.map((value) => plain(format(value))).join(' | ')).toBe(texts);
  });

  it('lose no whole percent to binary fractions', () => {
    const wholes = Array.from({ length: 121 }, (_, index) => index + 10);
    for (const whole of wholes) expect(plain(formatPercent(whole / 100))).toBe(`${whole} %`);
    expect(plain(formatPercent(58 / 200))).toBe('29 %');
  });

  it('keep a decimal of tokens, use the singular for one, and round minutes', () => {
    expect(plain(formatTokens(16_930, { fine: true }))).toBe('16.9 k');
    expect([formatCount(1, 'turn'), formatCount(2, 'turn')].map(plain)).toEqual(['1 turn', '2 turns']);
    expect([0.2, 0.99, 1.2, 1.6, 2.4].map(shownMinutes)).toEqual([0, 0, 1, 2, 2]);
  });
});

describe('times', () => {
  const at = Date.parse('2026-01-23T17:51:07Z');

  it('use the given zone', () => {
    expect([formatClock(at, 'UTC'), formatClock(at, 'Asia/Tokyo')]).toEqual(['17:51', '02:51']);
    expect(formatInstant(at, 'UTC')).toBe('23 Jan 2026, 17:51:07 UTC');
  });

  it('include the day unless it is today', () => {
    const since = [60_000, 7 * HOUR, 365 * 24 * HOUR].map((ms) => formatSince(at, at + ms, 'UTC'));
    expect(since).toEqual(['17:51', '23 Jan 17:51', '23 Jan 17:51']);
  });

  it('show the age within a day, else the date, with the year unless it is this year', () => {
    const now = Date.UTC(2026, 1, 11, 12, 0, 0);
    const ages = [3 / 60, 23, 24, -1].map((hours) => plain(formatWhen(now - hours * HOUR, 'UTC', now)));
    expect(ages).toEqual(['3 min', '23 h', '10 Feb', '0 s']);
    const newYear = Date.UTC(2026, 0, 1, 3, 0, 0);
    expect(formatWhen(newYear, 'UTC', now)).toBe('1 Jan');
    expect(formatWhen(newYear, 'America/New_York', now)).toBe('31 Dec 2025');
  });
});
