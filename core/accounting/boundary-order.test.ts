import { describe, expect, it } from 'vitest';
import type { Session } from '../api/session';
import { testSession } from '../live/testing-rows';
import { boundaryPlace, isPastBoundaries, PLACE } from './boundary-order';

const NOW = Date.parse('2026-01-23T18:04:00Z');
const range = (mid: number) => ({ low: mid / 2, mid, high: mid * 2 });
const counting: Partial<Session> = {
  liveness: 'live',
  state: 'warning',
  compacting: null,
  lastTurnAt: new Date(NOW - 60_000).toISOString(),
  nextBoundary: {
    kind: 'compaction',
    at: 167_000,
    left: 67_000,
    passed: false,
    turns: 24,
    minutes: 12,
    source: 'rule',
  },
  forecast: { ...testSession({}).forecast, turns: range(24), minutes: range(12) } as Session['forecast'],
};
const session = (fields: Partial<Session>) => testSession({ ...counting, ...fields });
const boundary = (fields: Partial<NonNullable<Session['nextBoundary']>>) =>
  ({ ...counting.nextBoundary, ...fields }) as Session['nextBoundary'];
const compacting = { trigger: 'auto', at: new Date(NOW).toISOString() } as const;

describe('the order by next boundary', () => {
  it('lists compacting sessions first and ended sessions last', () => {
    expect(Object.entries(PLACE).sort(([, a], [, b]) => a - b)).toEqual([
      ['compacting', 0],
      ['over', 1],
      ['idleOver', 2],
      ['alerting', 3],
      ['counting', 4],
      ['heldNear', 4],
      ['held', 5],
      ['early', 6],
      ['unknown', 7],
      ['idle', 8],
      ['untracked', 9],
      ['ended', 10],
    ]);
  });

  it.each([
    ['ended', { liveness: 'ended', compacting, state: 'redlined' }],
    ['compacting', { compacting, state: 'untracked' }],
    ['idle', { liveness: 'idle', compacting }],
    ['untracked', { liveness: 'idle', state: 'untracked' }],
    ['untracked', { state: 'untracked' }],
    ['idleOver', { liveness: 'idle', state: 'redlined' }],
    ['idle', { liveness: 'idle', nextBoundary: boundary({ passed: true }) }],
    ['unknown', { state: 'unknown', nextBoundary: boundary({ passed: true }) }],
    ['over', { state: 'redlined', nextBoundary: null }],
    ['over', { nextBoundary: boundary({ passed: true }) }],
    ['early', { nextBoundary: null }],
    ['early', { nextBoundary: boundary({ minutes: null }) }],
    ['counting', {}],
    ['counting', { lastTurnAt: new Date(NOW - 120_000 + 1).toISOString() }],
    ['heldNear', { lastTurnAt: new Date(NOW - 120_000).toISOString() }],
    ['held', { lastTurnAt: new Date(NOW - 120_000).toISOString(), state: 'elevated' }],
  ] as [string, Partial<Session>][])('places a session as %s: %o', (place, fields) => {
    expect(boundaryPlace(session(fields), NOW)).toBe(place);
  });

  it('lists a session with an alert before active countdowns, unless it counts down, compacts or ended', () => {
    const place = (fields: Partial<Session>) => boundaryPlace(session(fields), NOW, true);
    const silent = { lastTurnAt: new Date(NOW - 120_000).toISOString() };
    const ranks = [silent, { liveness: 'idle' }, { state: 'untracked' }, { nextBoundary: null }] as const;
    for (const fields of ranks) expect(place(fields), JSON.stringify(fields)).toBe('alerting');
    expect(place({})).toBe('counting');
    expect(place({ compacting })).toBe('compacting');
    expect(place({ state: 'redlined' })).toBe('over');
    expect(place({ liveness: 'ended' })).toBe('ended');
  });

  it('regards a session as past its boundaries only if it is redlined or passed all of them', () => {
    expect(isPastBoundaries(session({}))).toBe(false);
    expect(isPastBoundaries(session({ nextBoundary: null }))).toBe(false);
    expect(isPastBoundaries(session({ state: 'redlined' }))).toBe(true);
    expect(isPastBoundaries(session({ nextBoundary: boundary({ passed: true }) }))).toBe(true);
  });
});
