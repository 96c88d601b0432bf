import { describe, expect, it } from 'vitest';
import { dayInstants, dayText, minuteText, readDay, readMinute } from './local-text';

describe('a day in a field', () => {
  it('is written year first and survives a round trip', () => {
    const day = readDay(' 2026-11-03 ');
    expect(day?.toISOString()).toBe('2026-11-03T00:00:00.000Z');
    expect(dayText(day as Date)).toBe('2026-11-03');
  });

  it.each(['', '2026-11', '11/03/2026', '2026-13-01', '2026-02-30', '2026-11-3', '20261103'])(
    'is rejected if it is written as %j',
    (text) => {
      expect(readDay(text)).toBeNull();
    },
  );

  it('lasts from midnight to midnight in the zone, even with 25 hours', () => {
    const { from, to } = dayInstants(new Date('2026-10-25T00:00:00Z'), 'Europe/Berlin');
    expect(new Date(from).toISOString()).toBe('2026-10-24T22:00:00.000Z');
    expect(new Date(to).toISOString()).toBe('2026-10-25T22:59:59.999Z');
  });
});

describe('a time in a field', () => {
  const at = Date.UTC(2026, 9, 20, 12, 5);

  it('is written and read in the zone', () => {
    expect(minuteText(at, 'Europe/Berlin')).toBe('2026-10-20 14:05');
    expect(readMinute('2026-10-20 14:05', 'Europe/Berlin')).toBe(at);
    expect(readMinute('2026-10-20T12:05', 'UTC')).toBe(at);
  });

  it.each(['', '2026-10-20', '2026-10-20 24:00', '2026-10-20 12:60', '2026-02-30 12:00', '10/20/2026 12:05'])(
    'is rejected if it is written as %j',
    (text) => {
      expect(readMinute(text, 'UTC')).toBeNull();
    },
  );
});
