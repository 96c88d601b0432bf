import { describe, expect, it } from 'vitest';
import { prepareTimeDomain, prepareTurnDomain } from './prepare-domain';

const minute = 60_000;
const times = { from: null, to: null, firstAt: 0, lastAt: 100 * minute, now: 101 * minute };
const base = { ...times, liveness: 'live' as const, silent: false, minutesLeft: 12 };

describe('prepareTimeDomain', () => {
  it('extends past now to the next boundary, but gives a distant boundary at most a fifth of the sheet', () => {
    const domain = prepareTimeDomain(base);
    expect(domain.to).toBeGreaterThan((101 + 12) * minute);
    expect(domain.end).toEqual({ x: 101 * minute, hold: 'solid' });
    expect(domain.now).toBe(101 * minute);
    expect(prepareTimeDomain({ ...base, minutesLeft: 4000 }).to).toBeLessThan(123 * minute);
  });
  it('ends an old session at its last turn, not at now', () => {
    const ended = prepareTimeDomain({ ...base, liveness: 'ended', now: 90_000 * minute });
    expect(ended.to).toBeLessThan(110 * minute);
    expect(ended).toMatchObject({ now: null, end: { hold: 'solid' } });
  });
  it.each([{ liveness: 'idle' }, { silent: true }] as const)('draws dots up to now for %o', (fields) => {
    const now = 112 * minute;
    const domain = prepareTimeDomain({ ...base, ...fields, now });
    expect(domain).toMatchObject({ end: { x: now, hold: 'dotted' }, now });
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
