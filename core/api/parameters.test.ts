import { describe, expect, it } from 'vitest';
import { seriesParameters } from './parameters';

const read = (from: string) => seriesParameters.safeParse({ from }).data?.from;

describe('instant', () => {
  it.each([
    ['0', 0],
    ['1700000000000', 1_700_000_000_000],
    ['2026-11-22', Date.UTC(2026, 10, 22)],
    ['2026-11-22T06:30', Date.UTC(2026, 10, 22, 6, 30)],
    ['2026-11-22T06:30:15.250Z', Date.UTC(2026, 10, 22, 6, 30, 15, 250)],
    ['2026-11-22T06:30:15+01:00', Date.UTC(2026, 10, 22, 5, 30, 15)],
    ['2026-11-22t06:30z', Date.UTC(2026, 10, 22, 6, 30)],
  ])('parses %s', (text, ms) => {
    expect(read(text)).toBe(ms);
  });

  it.each(['', '-1', '1.5', 'May 5', '11/22/2026', '2026-13-01', '1969-12-31', 'yesterday', '9'.repeat(16)])(
    'refuses %j',
    (text) => {
      expect(read(text)).toBeUndefined();
    },
  );
});
