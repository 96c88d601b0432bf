import { describe, expect, it } from 'vitest';
import { formatBytes } from './format-bytes';
import { formatAge, formatDuration, formatMinutes, formatStopwatch, shownMinutes } from './format-duration';
import { formatPercent, formatPercentExact } from './format-percent';
import { formatClock, formatInstant, formatSince, formatWhen } from './format-time';
import { formatCount, formatExact, formatTokenChange, formatTokens } from './format-tokens';

/** Writes non-breaking spaces as plain ones, narrow spaces as `_`, and the minus sign as `-`. */
const plain = (text: string) =>
  text.replaceAll('\u00a0', ' ').replaceAll('\u202f', '_').replaceAll('\u2212', '-');
const HOUR = 3_600_000;

describe('formats', () => {
  it.each<[(value: number) => string, [number, string][]]>([
    [
      formatExact,
      [
        [1_432_262, '1_432_262'],
        [487, '487'],
        [-95_469, '-95_469'],
        [Number.MAX_SAFE_INTEGER, '9_007_199_254_740_991'],
      ],
    ],
    [
      formatTokens,
      [
        [0, '0'],
        [999.4, '999'],
        [999.6, '1.0 k'],
        [9_949, '9.9 k'],
        [9_960, '10 k'],
        [181_960, '182 k'],
        [999_499, '999 k'],
        [999_500, '1.00 M'],
        [29_000_000, '29.00 M'],
        [2_345_678_901, '2_346 M'],
        [-2_840, '-2.8 k'],
      ],
    ],
    [
      formatTokenChange,
      [
        [1_240, '+1.2 k'],
        [-95_469, '-95.5 k'],
        [99_960, '+100 k'],
        [0, '0'],
      ],
    ],
    [
      formatBytes,
      [
        [0, '0 B'],
        [999, '999 B'],
        [9_400, '9.4 kB'],
        [999_499, '999 kB'],
        [999_500, '1.0 MB'],
        [104_857_600, '105 MB'],
        [1_240_000_000, '1.24 GB'],
      ],
    ],
    [
      formatPercent,
      [
        [0, '0 %'],
        [0.000_4, '<0.1 %'],
        [0.031_835, '3.2 %'],
        [0.05, '5.0 %'],
        [0.099_9, '9.9 %'],
        [0.1, '10 %'],
        [0.4999, '49 %'],
        [0.999_99, '99 %'],
        [1, '100 %'],
        [7.19, '719 %'],
      ],
    ],
    [
      formatPercentExact,
      [
        [0.031_835, '3.18 %'],
        [0.9, '90.00 %'],
        [0.89999, '89.99 %'],
      ],
    ],
    [
      formatAge,
      [
        [-500, '0 s'],
        [59_999, '59 s'],
        [60_000, '1 m'],
        [HOUR, '1 h'],
        [47 * HOUR, '47 h'],
        [49 * HOUR, '2 d'],
      ],
    ],
    [
      formatMinutes,
      [
        [0.99, '<1 min'],
        [1.4, '1 min'],
        [18.9, '19 min'],
        [119.4, '119 min'],
        [119.9, '2 h'],
        [151, '3 h'],
        [47.6 * 60, '2 d'],
        [5 * 24 * 60, '5 d'],
      ],
    ],
    [
      formatDuration,
      [
        [850, '850 ms'],
        [999.6, '1 s'],
        [77_900, '78 s'],
        [119_900, '2 min'],
        [119.9 * 60_000, '2 h 00 min'],
        [125 * 60_000, '2 h 05 min'],
      ],
    ],
    [
      formatStopwatch,
      [
        [134_000, '02:14'],
        [3_734_000, '1:02:14'],
      ],
    ],
  ])('%o', (format, cases) => {
    expect(cases.map(([value]) => plain(format(value)))).toEqual(cases.map(([, text]) => text));
  });

  it('lose no whole percent to binary fractions', () => {
    const wholes = Array.from({ length: 121 }, (_, index) => index + 10);
    expect(wholes.map((whole) => formatPercent(whole / 100))).toEqual(
      wholes.map((whole) => `${whole}\u00a0%`),
    );
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
    expect(ages).toEqual(['3 m', '23 h', '10 Feb', '0 s']);
    const newYear = Date.UTC(2026, 0, 1, 3, 0, 0);
    expect(formatWhen(newYear, 'UTC', now)).toBe('1 Jan');
    expect(formatWhen(newYear, 'America/New_York', now)).toBe('31 Dec 2025');
  });
});
