import { describe, expect, it } from 'vitest';
import type { RecentTrace } from '@/core/api/session';
import { prepareTrace, tokensY } from './trace';

const NOW = 3_600_000;
/** A pixel is one minute on the x axis, and one percent on the y axis. */
const prepare = (trace: RecentTrace, part = {}) =>
  prepareTrace({
    trace,
    limit: 1_000,
    now: NOW,
    spanMs: 100 * 60_000,
    width: 100,
    height: 110,
    liveEndMs: 10 * 60_000,
    live: true,
    ...part,
  });
/** The time `minutes` before the right end, seconds. */
const ago = (minutes: number) => NOW / 1000 - minutes * 60;

describe('a small trace', () => {
  it('steps at each turn and holds the last value until now', () => {
    const { line, liveEnd } = prepare([
      [ago(50), 100, 0],
      [ago(5), 600, 0],
    ]);
    expect(line).toBe('M50 100H95V50H100');
    expect(liveEnd).toBe('M90 100H95V50H100');
  });

  it('starts at the left edge with the last value before the window', () => {
    expect(
      prepare([
        [ago(300), 900, 0],
        [ago(200), 300, 0],
        [ago(40), 500, 0],
      ]).line,
    ).toBe('M0 80H60V60H100');
  });

  it('breaks at each boundary and marks a fall, but no rise', () => {
    const { line, drops } = prepare([
      [ago(60), 900, 0],
      [ago(40), 200, 1],
      [ago(20), 400, 2],
    ]);
    expect(line).toBe('M40 20M60 90M80 70H100');
    expect(drops).toEqual([{ x: 60, from: 20, to: 90 }]);
  });

  it('continues dotted after the last turn of an idle session', () => {
    const { line, liveEnd, silence } = prepare([[ago(30), 400, 0]], { live: false });
    expect(line).toBe('M70 70');
    expect(liveEnd).toBe('');
    expect(silence).toBe('M70 70H100');
  });

  it('draws unknown values as dashes at the last known value, never as zero', () => {
    const { line, unknown, liveEnd } = prepare([
      [ago(60), 900, 0],
      [ago(40), null, 0],
    ]);
    expect(line).toBe('M40 20H60');
    expect(unknown).toBe('M61 20H100');
    expect(liveEnd).toBe('');
  });

  it('ends the dashes at the next known value', () => {
    const { unknown } = prepare([
      [ago(60), 900, 0],
      [ago(40), null, 0],
      [ago(10), 300, 1],
    ]);
    expect(unknown).toBe('M61 20H90');
  });

  it('draws values above 110 % at the end of the axis', () => {
    expect(tokensY(7_190, 1_000, 110)).toBe(0);
  });

  it('is scaled to the highest value if there is no limit, and is empty without values', () => {
    expect(prepare([[ago(50), 500, 0]], { limit: null }).line).toMatch(/^M50 /);
    expect(prepare([]).line).toBe('');
  });
});
