import { describe, expect, it } from 'vitest';
import { prepareTimeTicks } from './prepare-axes';
import { zoneFormat, zoneOffsetMs } from './zone-format';

const hour = 3_600_000;

describe('zoneOffsetMs', () => {
  it('follows daylight saving and half-hour zones', () => {
    expect(zoneOffsetMs(Date.parse('2026-01-15T12:00:00Z'), 'Europe/Berlin')).toBe(hour);
    expect(zoneOffsetMs(Date.parse('2026-07-15T12:00:00.250Z'), 'Europe/Berlin')).toBe(2 * hour);
    expect(zoneOffsetMs(Date.parse('2026-01-15T23:30:00Z'), 'Asia/Kolkata')).toBe(5.5 * hour);
    expect(zoneOffsetMs(Date.parse('2026-01-15T23:30:00Z'), 'UTC')).toBe(0);
  });
});

describe('prepareTimeTicks in a zone', () => {
  it('names the viewer’s midnight as a day', () => {
    const from = Date.parse('2026-01-23T20:00:00Z');
    const ticks = prepareTimeTicks(from, from + 8 * hour, 8, zoneFormat('Europe/Berlin'));
    expect(ticks.find((tick) => tick.x === Date.parse('2026-01-23T23:00:00Z'))?.label).toBe('24 Jan');
  });
  it('stays on whole local hours when the clocks change', () => {
    const from = Date.parse('2026-03-28T20:00:00Z');
    const ticks = prepareTimeTicks(from, from + 16 * hour, 8, zoneFormat('Europe/Berlin'));
    expect(ticks.every((tick) => tick.label === '29 Mar' || tick.label.endsWith(':00'))).toBe(true);
  });
});
