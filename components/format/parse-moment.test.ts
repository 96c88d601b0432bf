import { describe, expect, it } from 'vitest';
import { parseMoment } from './parse-moment';

/** Sunday 22 Nov 2026, 16:30:10 UTC; 17:30:10 in Berlin, 22:15:10 in Kathmandu. */
const NOW = Date.UTC(2026, 10, 22, 16, 30, 10);
const iso = (text: string, zone = 'UTC', now = NOW) => {
  const moment = parseMoment(text, zone, now);
  return moment === null ? null : new Date(moment.at).toISOString();
};

describe('the parser of a moment', () => {
  it('reads a time without a day as the latest one in the viewer’s zone', () => {
    expect(iso('14:03')).toBe('2026-11-22T14:03:00.000Z');
    expect(iso('14:03', 'Europe/Berlin')).toBe('2026-11-22T13:03:00.000Z');
    expect(iso('22:15', 'Asia/Kathmandu')).toBe('2026-11-22T16:30:00.000Z');
    expect(iso('17:03'), 'not yet today').toBe('2026-11-21T17:03:00.000Z');
    expect(iso(' 9.05 ')).toBe('2026-11-22T09:05:00.000Z');
    expect(iso('16:30:11')).toBe('2026-11-21T16:30:11.000Z');
  });

  it('reads a day without a year as the latest one', () => {
    expect(iso('yesterday 14:03')).toBe('2026-11-21T14:03:00.000Z');
    expect(iso('today 23:59'), 'also what is still to come').toBe('2026-11-22T23:59:00.000Z');
    expect(iso('3 Nov 14:03')).toBe('2026-11-03T14:03:00.000Z');
    expect(iso('3 November, 14:03', 'Europe/Berlin')).toBe('2026-11-03T13:03:00.000Z');
    expect(iso('Dec 24 18:00'), 'of last year').toBe('2025-12-24T18:00:00.000Z');
    expect(iso('24 Dec 2023 18:00')).toBe('2023-12-24T18:00:00.000Z');
    expect(iso('2026-11-03 14:03:20')).toBe('2026-11-03T14:03:20.000Z');
    expect(iso('2026-11-03T14:03', 'Europe/Berlin')).toBe('2026-11-03T13:03:00.000Z');
    expect(iso('2026-11-03T14:03:20+02:00', 'Asia/Tokyo')).toBe('2026-11-03T12:03:20.000Z');
    expect(iso('3 Nov')).toBe('2026-11-03T00:00:00.000Z');
  });

  it('reads a duration as a time before now', () => {
    expect(iso('10 min ago')).toBe('2026-11-22T16:20:10.000Z');
    expect(iso('2h')).toBe('2026-11-22T14:30:10.000Z');
    expect(iso('3 days ago')).toBe('2026-11-19T16:30:10.000Z');
  });

  it('covers a second, a minute or a day, by the precision of the text', () => {
    const span = (text: string) => parseMoment(text, 'UTC', NOW)?.spanMs;
    expect([span('14:03:20'), span('14:03'), span('3 Nov'), span('2 h')]).toEqual([
      1_000, 60_000, 86_400_000, 60_000,
    ]);
  });

  it('uses the UTC offset of the moment’s own day', () => {
    // Berlin went back to winter time on 25 Oct 2026.
    expect(iso('24 Oct 14:03', 'Europe/Berlin')).toBe('2026-10-24T12:03:00.000Z');
    expect(iso('26 Oct 14:03', 'Europe/Berlin')).toBe('2026-10-26T13:03:00.000Z');
  });

  it.each(['', 'noon', '25:00', '14:60', '31 Feb 10:00', '3 Foo 10:00', '2026-13-01', '14:03 o’clock'])(
    'rejects “%s”',
    (text) => expect(parseMoment(text, 'UTC', NOW)).toBeNull(),
  );
});
