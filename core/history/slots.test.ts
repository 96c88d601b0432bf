import { describe, expect, it } from 'vitest';
import { fc } from '../testing/property-runs';
import { chooseSlotSize, SLOT_NAMES, SLOT_SIZES, slotEdges } from './slots';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const lengths = (edges: readonly number[]) =>
  edges.slice(1).map((edge, index) => (edge - (edges[index] ?? 0)) / HOUR);

describe('the slots of a range', () => {
  it('are days of the viewer, 23 and 25 hours long at clock changes', () => {
    const spring = slotEdges(Date.UTC(2026, 2, 28), Date.UTC(2026, 2, 31), '1d', 'Europe/Berlin');
    expect(spring[0]).toBe(Date.UTC(2026, 2, 27, 23));
    expect(lengths(spring)).toEqual([24, 23, 24, 24]);
    const autumn = slotEdges(Date.UTC(2026, 9, 24, 12), Date.UTC(2026, 9, 26, 12), '1d', 'America/New_York');
    expect(lengths(autumn)).toEqual([24, 24, 24]);
    expect(
      lengths(slotEdges(Date.UTC(2026, 10, 1, 12), Date.UTC(2026, 10, 1, 13), '1d', 'America/New_York')),
    ).toEqual([25]);
  });

  it('of six hours are quarters of the viewer’s day, by local time', () => {
    const edges = slotEdges(Date.UTC(2026, 2, 29), Date.UTC(2026, 2, 29, 12), '6h', 'Europe/Berlin');
    expect(lengths(edges)).toEqual([5, 6, 6]);
    expect(edges[1]).toBe(Date.UTC(2026, 2, 29, 4));
  });

  it('of one hour are equally long, even at the repeated hour of a clock change', () => {
    const edges = slotEdges(Date.UTC(2026, 9, 24, 22), Date.UTC(2026, 9, 25, 23), '1h', 'Europe/Berlin');
    expect(lengths(edges)).toEqual(Array.from({ length: 25 }, () => 1));
  });

  it('are weeks from Monday to Monday', () => {
    const edges = slotEdges(Date.UTC(2026, 10, 18), Date.UTC(2026, 10, 24), '7d', 'UTC');
    expect(edges).toEqual([16, 23, 30].map((day) => Date.UTC(2026, 10, day)));
  });

  it('start with the day if midnight does not exist', () => {
    const edges = slotEdges(Date.UTC(2026, 8, 6, 12), Date.UTC(2026, 8, 6, 13), '1d', 'America/Santiago');
    expect(edges).toEqual([Date.UTC(2026, 8, 6, 4), Date.UTC(2026, 8, 7, 3)]);
  });

  it('cover the whole range in any zone, without gaps, up to its end', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/St_Johns',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'Pacific/Chatham',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom(...SLOT_NAMES),
        fc.integer({ min: Date.UTC(2015, 0), max: Date.UTC(2030, 0) }),
        fc.integer({ min: 1, max: 60 }),
        (zone, size, from, count) => {
          const to = from + SLOT_SIZES[size] * count;
          const edges = slotEdges(from, to, size, zone);
          const [first = 0, second = 0] = edges;
          const last = edges.at(-1) ?? 0;
          const beforeLast = edges.at(-2) ?? 0;
          expect(first).toBeLessThanOrEqual(from);
          expect(second).toBeGreaterThan(from);
          expect(last).toBeGreaterThanOrEqual(to);
          expect(beforeLast).toBeLessThan(to);
          expect(edges).toEqual([...new Set(edges)].sort((a, b) => a - b));
          if (SLOT_SIZES[size] >= 900_000) expect(edges.filter((edge) => edge % 900_000 !== 0)).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('the size of the slots', () => {
  it.each([
    [HOUR, '1m'],
    [DAY, '5m'],
    [7 * DAY, '30m'],
    [30 * DAY, '3h'],
    [90 * DAY, '6h'],
    [365 * DAY, '1d'],
    [10 * 365 * DAY, '7d'],
  ] as const)('for %d milliseconds is %s, so a chart has at most about 370', (span, size) => {
    expect(chooseSlotSize(0, span)).toBe(size);
  });
});
