import { describe, expect, it, vi } from 'vitest';
import { RANGE_MS, RANGE_NAMES } from '../../format/range-names';
import { firstRange, movedRange, recordedSpan, shownRange } from './history-range';
import {
  boundaryRhythm,
  delayWords,
  prepareRangeTicks,
  rangeLabel,
  slotLabel,
  slotWords,
} from './history-words';
import { testPoint } from './testing/test-point';

const NOW = Date.UTC(2026, 9, 20, 12, 0, 7);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (day: number, hour = 0, minute = 0) => Date.UTC(2026, 10, day, hour, minute);
const iso = (time: number) => new Date(time).toISOString();

describe('the shown range', () => {
  it.each(RANGE_NAMES)('of %s contains now, and does not change until the next read', (range) => {
    const choice = { range, from: null, to: null };
    const shown = shownRange(choice, NOW);
    expect(shown.to - shown.from).toBe(RANGE_MS[range]);
    expect(shown.to).toBeGreaterThan(NOW);
    expect(shown.to - NOW).toBeLessThanOrEqual(60_000);
    expect(shownRange(choice, shown.to - 1)).toEqual(shown);
    expect(shownRange(choice, shown.to).to).toBeGreaterThan(shown.to);
  });

  it('is the fixed range if that is valid, else a live range', () => {
    const [from, to] = [new Date(NOW - 2 * HOUR), new Date(NOW - HOUR)];
    const fixed = { from: from.getTime(), to: to.getTime(), isLive: false };
    expect(shownRange({ range: '7d', from, to }, NOW)).toEqual(fixed);
    expect(shownRange({ range: '7d', from, to: null }, NOW)).toMatchObject({
      from: fixed.from,
      isLive: true,
    });
    for (const choice of [
      { from: to, to: from },
      { from, to: from },
      { from: null, to },
    ]) {
      const shown = shownRange({ range: '1h', ...choice }, NOW);
      expect(shown).toMatchObject({ from: shown.to - HOUR, isLive: true });
    }
  });

  it.each([
    ['earlier', -4, -2, -5, -3],
    ['later', -4, -2, -3, -1],
    ['wider', -4, -2, -5, -1],
    ['later', -1, 0, -1, 0],
  ] as const)(
    'moves or extends (%s) by half of its length, never into the future',
    (move, from, to, ...moved: number[]) => {
      const range = { from: NOW + from * HOUR, to: NOW + to * HOUR, isLive: false };
      expect(Object.values(movedRange(range, move, NOW))).toEqual(
        moved.map((at) => new Date(NOW + at * HOUR)),
      );
    },
  );
});

describe('the recorded range', () => {
  /** The 24 hours before `to`. For each of `hours`, an hour of activity begins that many hours before `to`. */
  const dayBefore = (to: number, ...hours: number[]) => ({
    from: iso(to - DAY),
    to: iso(to),
    points: hours.map((hour) => testPoint(to - hour * HOUR)),
  });

  it('is offered if the range begins with a long blank part', () => {
    expect(recordedSpan(dayBefore(NOW, 8, 3))).toEqual({ from: NOW - 8 * HOUR, to: NOW - 2 * HOUR });
    expect(recordedSpan(dayBefore(NOW, 10, 3))).toBeNull();
    expect(recordedSpan(dayBefore(NOW))).toBeNull();
    expect(recordedSpan({ ...dayBefore(NOW, 0.1), from: iso(NOW - 600_000) }), 'hardly shorter').toBeNull();
  });

  it.each([
    ['the default one when it has data', 0, [20, 1], {}],
    ['from the first record to now', 0, [3, 1], { from: iso(NOW - 3 * HOUR) }],
    ['at least an hour', 0, [0.2], { from: iso(NOW - HOUR) }],
    [
      'fixed after more than a year without turns',
      400 * DAY,
      [2],
      { from: iso(NOW - 7_000 - 400 * DAY - 2 * HOUR + 60_000) },
    ],
    [
      'the recorded part of a past year',
      124 * DAY,
      [20],
      { from: iso(NOW - 7_000 - 124 * DAY - 20 * HOUR + 60_000) },
    ],
  ])('is at first %s', async (_, age, hours, range) => {
    const first = await firstRange(NOW, NOW - age, async (_from, to) => dayBefore(to, ...hours));
    const to = age === 0 ? {} : { to: iso(NOW - 7_000 - age + 60_000) };
    expect(first).toEqual({ ...range, ...to });
  });

  it.each([
    [3, 7 * DAY],
    [7.5, 30 * DAY],
    [124, 365 * DAY],
  ])('is read from the shortest named range with data after %d days without turns', async (days, length) => {
    const read = vi.fn(async (_from: number, to: number) => dayBefore(to, 2));
    await firstRange(NOW, NOW - days * DAY, read);
    expect(read.mock.calls[0]?.[0]).toBe(NOW - length);
  });
});

describe('words', () => {
  const plain = (text: string) => text.replaceAll('\u2009', ' ');

  it.each([
    [at(20, 13), at(20, 14), 'Europe/Berlin', '20 Nov, 14:00–15:00'],
    [at(19, 23), at(20, 23), 'Europe/Berlin', '20 Nov'],
    [at(16), at(23), 'UTC', '16 – 22 Nov'],
    [at(30), at(37), 'UTC', '30 Nov – 6 Dec'],
    // A day of 25 hours.
    [Date.UTC(2026, 9, 24, 22), Date.UTC(2026, 9, 25, 23), 'Europe/Berlin', '25 Oct'],
  ])('a bucket from %d to %d in %s is labelled %s', (from, to, zone, label) => {
    expect(plain(slotLabel({ from, to, partial: false }, zone))).toBe(label);
  });

  it('names the day of a one-day range once, and ends a live range with “now”', () => {
    expect(rangeLabel(at(20, 8), at(20, 9, 30), 'UTC')).toBe('20 Nov 2026, 08:00–09:30');
    expect(plain(rangeLabel(at(20, 8), at(21, 8), 'UTC'))).toBe('20 Nov 2026, 08:00 – 21 Nov 2026, 08:00');
    expect(rangeLabel(at(20, 8), at(20, 9, 30), 'UTC', true)).toBe('20 Nov 2026, 08:00 – now');
    expect((['15m', '1h', '7d'] as const).map(slotWords)).toEqual(['15-minute', '1-hour', '1-week']);
  });

  it('name a delay of three seconds or more', () => {
    expect([null, 2_999].map(delayWords)).toEqual(['', '']);
    expect(delayWords(12_000)).toBe(', 12\u00a0s behind (read from a replica)');
  });

  it.each([
    [{ turns: 100, compactions: 4, restarts: 1 }, 'Compacted every 25 turns.'],
    [{ turns: 30, compactions: 0, restarts: 3 }, 'Restarted every 10 turns.'],
    [{ turns: 3, compactions: 3, restarts: 0 }, 'Compacted every turn.'],
    [{ turns: 90, compactions: 1, restarts: 1 }, ''],
  ])('describes the rhythm of %o as “%s”', (figures, sentence) => {
    expect(boundaryRhythm(figures)).toBe(sentence);
  });

  it('labels the first days of months on a long axis, with fewer ticks in less room', () => {
    const from = Date.UTC(2025, 10, 22);
    const ticks = prepareRangeTicks(from, from + 365 * DAY, 14, 'Europe/Berlin');
    expect(ticks.map(({ label }) => label).join(' ')).toBe(
      'Dec 2026 Feb Mar Apr May Jun Jul Aug Sept Oct Nov',
    );
    // Midnight of 1 July in Berlin.
    expect(ticks[7]?.x).toBe(Date.UTC(2026, 5, 30, 22));
    const few = prepareRangeTicks(from, from + 365 * DAY, 5, 'UTC');
    expect(few.map(({ label }) => label)).toEqual(['2026', 'Apr', 'Jul', 'Oct']);
  });
});
