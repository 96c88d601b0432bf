import { describe, expect, it } from 'vitest';
import type { RecentTrace } from '../api/session';
import { fc } from '../testing/property-runs';
import { pushTrace, TRACE_KIND } from './recent-trace';

const TRACE_SECONDS = 3_600;
const TRACE_POINTS = 60;

const BASE = Date.UTC(2026, 0, 1);
const SECOND = 1_000;

function traceOf(
  points: ReadonlyArray<readonly [second: number, used: number | null, kind?: 0 | 1 | 2 | 3]>,
) {
  const trace: RecentTrace = [];
  for (const [second, used, kind = 0] of points) pushTrace(trace, BASE + second * SECOND, used, kind);
  return trace.map(([t, used, kind]) => [t - BASE / SECOND, used, kind]);
}

describe('the recent trace', () => {
  it('keeps the last value of a bucket', () => {
    expect(
      traceOf([
        [0, 10],
        [80, 20],
        [90, 30],
        [100, 40],
        [160, 50],
      ]),
    ).toEqual([
      [0, 10, 0],
      [100, 40, 0],
      [160, 50, 0],
    ]);
  });

  it('keeps the highest and lowest point of a fall, however fast', () => {
    const trace = traceOf([
      [0, 10],
      [61, 90],
      [62, 95],
      [63, 30],
      [64, 35],
      [65, 36],
    ]);
    expect(trace).toContainEqual([62, 95, 0]);
    expect(trace).toContainEqual([63, 30, 0]);
    expect(trace.at(-1)).toEqual([65, 36, 0]);
  });

  it('keeps a boundary, and a gap where the value is unknown after it', () => {
    expect(
      traceOf([
        [0, 90],
        [5, null, 1],
        [50, 30],
        [55, 31],
      ]),
    ).toEqual([
      [0, 90, 0],
      [5, null, 1],
      [50, 30, 1],
      [55, 31, 0],
    ]);
  });

  it('drops points older than an hour, except the newest of them', () => {
    const trace = traceOf([
      [0, 10],
      [100, 20],
      [TRACE_SECONDS + 200, 30],
    ]);
    expect(trace).toEqual([
      [100, 20, 0],
      [TRACE_SECONDS + 200, 30, 0],
    ]);
  });

  it('never holds more than 60 points, ends with the newest value, never goes back in time, and keeps boundaries', () => {
    const step = fc.tuple(
      fc.integer({ min: 0, max: 240 }),
      fc.option(fc.integer({ min: 0, max: 250_000 }), { freq: 12 }),
      fc.constantFrom<0 | 1 | 2 | 3>(0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const trace: RecentTrace = [];
        let at = BASE;
        const boundaries: number[] = [];
        for (const [gap, used, kind] of steps) {
          at += gap * SECOND;
          pushTrace(trace, at, used, kind);
          if (kind !== TRACE_KIND.turn) boundaries.push(at / SECOND);
          expect(trace.length).toBeLessThanOrEqual(TRACE_POINTS);
          expect(trace.at(-1)?.[1]).toBe(used);
          if (used !== null) expect(trace.at(-1)?.[0]).toBe(at / SECOND);
        }
        const times = trace.map(([t]) => t);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        const recent = boundaries.filter((t) => t > at / SECOND - TRACE_SECONDS);
        if (recent.length <= TRACE_POINTS / 4) {
          const kept = trace.filter(([, , kind]) => kind !== TRACE_KIND.turn).map(([t]) => t);
          expect(kept).toEqual(expect.arrayContaining(recent));
        }
      }),
      { numRuns: 200 },
    );
  });
});
