import { describe, expect, it } from 'vitest';
import { instantOf, isTimeZone, zoneOffsetMs } from './zone-offset';

const HOUR = 3_600_000;

describe('the clocks of a zone', () => {
  it('have the offset of the day, including summer time', () => {
    expect(zoneOffsetMs(Date.UTC(2026, 0, 15), 'Europe/Berlin')).toBe(HOUR);
    expect(zoneOffsetMs(Date.UTC(2026, 6, 15), 'Europe/Berlin')).toBe(2 * HOUR);
    expect(zoneOffsetMs(Date.UTC(2026, 6, 15), 'America/New_York')).toBe(-4 * HOUR);
    expect(zoneOffsetMs(Date.UTC(2026, 6, 15, 1, 2, 3, 250), 'UTC')).toBe(0);
    expect(zoneOffsetMs(Date.UTC(2026, 6, 15, 1, 2, 3, 250), 'Asia/Kathmandu')).toBe(5.75 * HOUR);
  });

  it('map a local time to its instant', () => {
    expect(instantOf(Date.UTC(2026, 6, 15), 'Europe/Berlin')).toBe(Date.UTC(2026, 6, 14, 22));
    expect(instantOf(Date.UTC(2026, 0, 1), 'UTC')).toBe(Date.UTC(2026, 0, 1));
  });

  it('map a repeated local time to its first instant', () => {
    // 25 October 2026: from 03:00 back to 02:00.
    expect(instantOf(Date.UTC(2026, 9, 25, 2, 30), 'Europe/Berlin')).toBe(Date.UTC(2026, 9, 25, 0, 30));
  });

  it('map a skipped time to the clock change', () => {
    expect(instantOf(Date.UTC(2026, 2, 29, 2, 30), 'Europe/Berlin')).toBe(Date.UTC(2026, 2, 29, 1));
    // If midnight itself is skipped, the day starts at 01:00.
    expect(instantOf(Date.UTC(2026, 8, 6), 'America/Santiago')).toBe(Date.UTC(2026, 8, 6, 4));
  });

  it('are valid only if the zone’s name is known', () => {
    expect(isTimeZone('Pacific/Chatham')).toBe(true);
    expect(isTimeZone('Mars/Olympus')).toBe(false);
    expect(isTimeZone('')).toBe(false);
  });
});
