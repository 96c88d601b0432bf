import { describe, expect, it } from 'vitest';
import { prepareTimeDomain, prepareTurnDomain } from './prepare-domain';

const minute = 60_000;
const base = {
  from: null,
  to: null,
  firstAt: 0,
  lastAt: 100 * minute,
  now: 101 * minute,
  liveness: 'live' as const,
  silent: false,
  minutesLeft: 12,
};

describe('prepareTimeDomain', () => {
  it('extends past now to the next boundary', () => {
    const domain = prepareTimeDomain(base);
    expect(domain.to).toBeGreaterThan((101 + 12) * minute);
    expect(domain.end).toEqual({ x: 101 * minute, hold: 'solid' });
    expect(domain.now).toBe(101 * minute);
  });
  it('gives at most a fifth of the sheet to a distant forecast', () => {
    expect(prepareTimeDomain({ ...base, minutesLeft: 4000 }).to).toBeLessThan(123 * minute);
  });
  it('ends an old session at its last turn, not at now', () => {
    const ended = prepareTimeDomain({ ...base, liveness: 'ended', now: 90_000 * minute });
    expect(ended.to).toBeLessThan(110 * minute);
    expect(ended.now).toBeNull();
    expect(ended.end.hold).toBe('solid');
  });
  it('draws dots from the last turn of an idle session to now if now is near', () => {
    const idle = prepareTimeDomain({ ...base, liveness: 'idle', now: 112 * minute });
    expect(idle.end).toEqual({ x: 112 * minute, hold: 'dotted' });
    expect(idle.now).toBe(112 * minute);
  });
  it('draws dots for a silent live session, because it has no reading', () => {
    const silent = prepareTimeDomain({ ...base, silent: true, now: 110 * minute });
    expect(silent.end).toEqual({ x: 110 * minute, hold: 'dotted' });
    expect(silent.now).toBe(110 * minute);
  });
  it('shows exactly the zoomed range', () => {
    const zoomed = prepareTimeDomain({ ...base, from: 20 * minute, to: 40 * minute });
    expect([zoomed.from, zoomed.to, zoomed.now]).toEqual([20 * minute, 40 * minute, null]);
  });
  it('shows at least ten minutes for a single turn', () => {
    const first = prepareTimeDomain({ ...base, lastAt: 0, now: 0, minutesLeft: null });
    expect(first.to - first.from).toBeGreaterThan(20_000);
    const lone = prepareTimeDomain({ ...base, lastAt: 0, now: 900 * minute, liveness: 'idle' });
    expect(lone.to - lone.from).toBe(10 * minute);
  });
});

it.each<[Parameters<typeof prepareTurnDomain>[2], boolean, number | null, to: number, now: number | null]>([
  ['live', true, null, 106, 100.5],
  ['live', true, 10, 111.5, 100.5],
  ['live', true, 4_000, 120, 100.5],
  ['live', false, null, 100.5, null],
  ['ended', true, 12, 100.5, null],
])(
  'leaves room for the forecast on the turn axis: session %s, open %s, %s turns',
  (liveness, isOpen, left, to, now) => {
    const domain = prepareTurnDomain(1, 100, liveness, isOpen, left);
    expect(domain).toEqual({ from: 0, to: expect.closeTo(to, 5), end: { x: 100.5, hold: 'solid' }, now });
  },
);
