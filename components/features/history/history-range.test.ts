import { describe, expect, it } from 'vitest';
import { RANGE_MS, RANGE_NAMES } from '../../format/range-names';
import { TEST_NOON, testHistory, testPoint } from './history.fixture';
import { movedRange, recordedSpan, shownRange } from './history-range';
import { boundaryRhythm, prepareRangeTicks, rangeLabel, slotLabel, slotWords } from './history-words';

const NOW = Date.UTC(2026, 9, 20, 12, 0, 7);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (day: number, hour = 0, minute = 0) => Date.UTC(2026, 10, day, hour, minute);

describe('the shown range', () => {
  it.each(RANGE_NAMES)('of %s contains now, and stays the same until its next read', (range) => {
    const choice = { range, from: null, to: null };
    const shown = shownRange(choice, NOW);
    expect(shown.to - shown.from).toBe(RANGE_MS[range]);
    expect(shown.to).toBeGreaterThan(NOW);
    expect(shown.to - NOW).toBeLessThanOrEqual(60_000);
    expect(shownRange(choice, shown.to - 1)).toEqual(shown);
    expect(shownRange(choice, shown.to).to).toBeGreaterThan(shown.to);
  });

  it('is the fixed one if it is valid, else a live one', () => {
    const [from, to] = [new Date(NOW - 2 * HOUR), new Date(NOW - HOUR)];
    const fixed = { from: from.getTime(), to: to.getTime(), isLive: false };
    expect(shownRange({ range: '7d', from, to }, NOW)).toEqual(fixed);
    for (const [begin, end] of [
      [to, from],
      [from, from],
      [from, null],
    ] as const) {
      expect(shownRange({ range: '1h', from: begin, to: end }, NOW).isLive).toBe(true);
    }
  });

  it.each([
    ['earlier', -5, -3],
    ['later', -3, -1],
    ['wider', -5, -1],
  ] as const)('moves %s by half of its length', (move, from, to) => {
    const range = { from: NOW - 4 * HOUR, to: NOW - 2 * HOUR, isLive: false };
    expect(movedRange(range, move, NOW)).toEqual({
      from: new Date(NOW + from * HOUR),
      to: new Date(NOW + to * HOUR),
    });
    expect(movedRange({ from: NOW - HOUR, to: NOW, isLive: true }, 'later', NOW).to.getTime()).toBe(NOW);
  });

  it('has a recorded part where most of its beginning is blank', () => {
    const span = { from: TEST_NOON + 8 * HOUR, to: TEST_NOON + 11 * HOUR };
    expect(recordedSpan(testHistory([testPoint(8), testPoint(10)]))).toEqual(span);
    expect(recordedSpan(testHistory([testPoint(7), testPoint(11)]))).toBeNull();
    expect(recordedSpan(testHistory([]))).toBeNull();
    const short = { ...testPoint(0), from: new Date(TEST_NOON + 9 * 60_000).toISOString() };
    const to = new Date(TEST_NOON + 10 * 60_000).toISOString();
    expect(recordedSpan({ ...testHistory([short]), to }), 'hardly shorter').toBeNull();
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
  ])('a slot from %d to %d in %s is labelled %s %s', (from, to, zone, label) => {
    expect(plain(slotLabel({ from, to, partial: false }, zone))).toBe(label);
  });

  it('a range names its day once where it has only one, and ends now where it is live', () => {
    expect(rangeLabel(at(20, 8), at(20, 9, 30), 'UTC')).toBe('20 Nov 2026, 08:00–09:30');
    expect(plain(rangeLabel(at(20, 8), at(21, 8), 'UTC'))).toBe('20 Nov 2026, 08:00 – 21 Nov 2026, 08:00');
    expect(rangeLabel(at(20, 8), at(20, 9, 30), 'UTC', true)).toBe('20 Nov 2026, 08:00 – now');
    expect((['15m', '1h', '7d'] as const).map(slotWords)).toEqual(['15-minute', '1-hour', '1-week']);
  });

  it.each([
    [{ turns: 100, compactions: 4, restarts: 1 }, 'Compacted every 25 turns.'],
    [{ turns: 30, compactions: 0, restarts: 3 }, 'Restarted every 10 turns.'],
    [{ turns: 3, compactions: 3, restarts: 0 }, 'Compacted every turn.'],
    [{ turns: 90, compactions: 1, restarts: 1 }, ''],
  ])('describes the rhythm of %o as “%s”', (figures, sentence) => {
    expect(boundaryRhythm(figures)).toBe(sentence);
  });
});

describe('the ticks of a range', () => {
  const from = Date.UTC(2025, 10, 22);

  it('are the beginnings of months where it is long, fewer where there is less room', () => {
    const ticks = prepareRangeTicks(from, from + 365 * DAY, 14, 'Europe/Berlin');
    expect(ticks.map(({ label }) => label).join(' ')).toBe(
      'Dec 2026 Feb Mar Apr May Jun Jul Aug Sept Oct Nov',
    );
    // Midnight of 1 July in Berlin.
    expect(ticks[7]?.x).toBe(Date.UTC(2026, 5, 30, 22));
    const few = prepareRangeTicks(from, from + 365 * DAY, 5, 'UTC');
    expect(few.map(({ label }) => label)).toEqual(['2026', 'Apr', 'Jul', 'Oct']);
  });

  it('are days and hours where it is short', () => {
    const evening = Date.UTC(2026, 9, 20, 20);
    const labels = prepareRangeTicks(evening, evening + DAY / 2, 4, 'UTC').map(({ label }) => label);
    expect(labels).toContain('21 Oct');
  });
});
