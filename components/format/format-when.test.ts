import { describe, expect, it } from 'vitest';
import { formatWhen } from './format-time';

const NOW = Date.UTC(2026, 1, 11, 12, 0, 0);
const HOUR = 3_600_000;

describe('when something was', () => {
  it('is how long ago within a day, and the day of what is older', () => {
    expect(formatWhen(NOW - 3 * 60_000, 'UTC', NOW)).toBe('3\u00a0m');
    expect(formatWhen(NOW - 23 * HOUR, 'UTC', NOW)).toBe('23\u00a0h');
    expect(formatWhen(NOW - 24 * HOUR, 'UTC', NOW)).toBe('10 Feb');
    expect(formatWhen(NOW + HOUR, 'UTC', NOW), 'a clock that is ahead').toBe('0\u00a0s');
  });

  it('names the year where it is another one, by the clocks of the zone', () => {
    const newYear = Date.UTC(2026, 0, 1, 3, 0, 0);
    expect(formatWhen(newYear, 'UTC', NOW)).toBe('1 Jan');
    expect(formatWhen(newYear, 'America/New_York', NOW)).toBe('31 Dec 2025');
  });
});
