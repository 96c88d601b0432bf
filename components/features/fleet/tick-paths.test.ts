import { describe, expect, it } from 'vitest';
import { makeSession } from '../../format/testing/make-session';
import { prepareBarcode, type Tick } from './prepare-barcode';
import { tickPaths } from './tick-paths';

const tick = (x: number, fields: Partial<Tick> = {}): Tick => ({
  id: `at-${x}`,
  title: '',
  state: 'warning',
  x,
  pressure: 0.8,
  idle: false,
  faded: false,
  ...fields,
});

describe('the paths of the barcode', () => {
  it('are one for all ticks of a state, in the order of painting', () => {
    const paths = tickPaths(
      [tick(3, { faded: true }), tick(10), tick(20), tick(30, { state: 'critical' })],
      44,
    );
    expect(paths).toEqual([
      { state: 'warning', faded: true, d: 'M3 0V44' },
      { state: 'warning', faded: false, d: 'M10 0V44M20 0V44' },
      { state: 'critical', faded: false, d: 'M30 0V44' },
    ]);
  });

  it('stand out above the plot when over limit, but not as a shadow and not when idle', () => {
    const over = { state: 'redlined' } as const;
    expect(tickPaths([tick(1, over)], 44)[0]?.d).toBe('M1 -9V44');
    expect(tickPaths([tick(1, { ...over, faded: true })], 44)[0]?.d).toBe('M1 0V44');
    expect(tickPaths([tick(1, { ...over, idle: true })], 40)[0]?.d).toBe('M1 24V40');
  });

  it('draw ticks on the same half pixel once', () => {
    expect(tickPaths([tick(10), tick(10.1), tick(10.4)], 44)[0]?.d).toBe('M10 0V44M10.5 0V44');
  });

  it('are at most two a state for ten thousand sessions', () => {
    const sessions = Array.from({ length: 10_000 }, (_, index) =>
      makeSession(index, { used: (index * 37) % 220_000, liveness: index % 5 === 0 ? 'idle' : 'live' }),
    );
    const { ticks } = prepareBarcode({ sessions, matching: null, next: [], width: 1392 });
    expect(ticks.length).toBeGreaterThan(500);
    const paths = tickPaths(ticks, 44);
    expect(paths.length).toBeLessThanOrEqual(14);
    expect(paths.reduce((length, { d }) => length + d.length, 0)).toBeLessThan(40_000);
  });
});
