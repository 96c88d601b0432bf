import { describe, expect, it } from 'vitest';
import { prepareRangeTicks } from './prepare-ticks';

const DAY = 86_400_000;

describe('the ticks of a range', () => {
  it('are the beginnings of months where it is long, the year’s own by its number', () => {
    const from = Date.UTC(2025, 10, 22);
    const ticks = prepareRangeTicks(from, from + 365 * DAY, 14, 'Europe/Berlin');
    expect(ticks.map(({ label }) => label)).toEqual([
      'Dec',
      '2026',
      'Feb',
      'Mar',
      'Apr',
      'May',
      'Jun',
      'Jul',
      'Aug',
      'Sept',
      'Oct',
      'Nov',
    ]);
    // Midnight of 1 July in Berlin.
    expect(ticks[7]?.x).toBe(Date.UTC(2026, 5, 30, 22));
  });

  it('are fewer where there is less room', () => {
    const from = Date.UTC(2025, 10, 22);
    const ticks = prepareRangeTicks(from, from + 365 * DAY, 5, 'UTC');
    expect(ticks.map(({ label }) => label)).toEqual(['2026', 'Apr', 'Jul', 'Oct']);
  });

  it('are days and hours where it is short', () => {
    const from = Date.UTC(2026, 9, 20, 20);
    expect(prepareRangeTicks(from, from + DAY / 2, 4, 'UTC').map(({ label }) => label)).toContain('21 Oct');
  });
});
