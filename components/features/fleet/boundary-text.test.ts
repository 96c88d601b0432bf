import { describe, expect, it } from 'vitest';
import type { Session } from '@/core/api/session';
import { MADE_AT, makeBoundary, makeForecast, makeSession } from '../../format/testing/make-session';
import { boundaryText, turnsLeft } from './boundary-text';

const ago = (minutes: number) => new Date(MADE_AT - minutes * 60_000).toISOString();
const textOf = (fields: Partial<Session>, now = MADE_AT) => {
  const text = boundaryText(makeSession(1, fields), now);
  return Object.fromEntries(
    Object.entries(text).map(([name, value]) => [name, value?.replaceAll('\u00a0', ' ') ?? null]),
  );
};
const limit = makeBoundary(null, { kind: 'limit', at: 200_000, left: 0, passed: true });
const quiet = { nextBoundary: makeBoundary(null), forecast: makeForecast(null) };
const over = { used: 206_900, nextBoundary: limit };
const idle = { liveness: 'idle', lastTurnAt: ago(38), nextBoundary: makeBoundary(3) } as const;
const atLimit = makeBoundary(6, { kind: 'limit', source: 'limit', at: 200_000 });
const pastLine = { used: 186_000, nextBoundary: atLimit, restartLinePassed: { at: ago(1), turnsSince: 9 } };
const still = { ...quiet, forecast: { ...makeForecast(null), certainty: 'still' } } as const;
const counting = { nextBoundary: makeBoundary(18), forecast: makeForecast(18) };
const unread = { used: null, lastKnownUsed: 157_000 };
const compacting = { nextBoundary: makeBoundary(4), compacting: { trigger: 'auto', at: ago(0.3) } } as const;
const silent = { nextBoundary: makeBoundary(3), forecast: makeForecast(3), lastTurnAt: ago(4) };

describe('the next boundary of a row', () => {
  it.each<[string, Partial<Session>, Record<string, unknown>]>([
    [
      'a countdown',
      { nextBoundary: makeBoundary(18.7, { turns: 15.2 }) },
      { lead: '19 min', more: '16 turns', what: 'Claude Code compacts 167 k', short: 'compacts 167 k' },
    ],
    ['too few turns', quiet, { lead: '', more: 'no forecast yet', held: null }],
    ['no growth', still, { more: 'not growing' }],
    ['an untracked session', { state: 'untracked', used: null }, { lead: '', more: 'not tracked' }],
    ['no reading', unread, { lead: '', more: 'no reading yet', what: 'last known 157 k' }],
    ['no limit', { limit: null }, { lead: '', more: 'no limit known' }],
    [
      'a passed limit',
      over,
      { lead: 'limit passed', more: '', what: 'next turn may be refused', short: '6.9 k over 200 k' },
    ],
    ['a passed limit of an idle session', { ...over, liveness: 'idle' }, { more: 'idle' }],
    ['a passed budget', { ...over, lens: 'cumulative' }, { what: 'outcome unknown' }],
    ['a silent session', silent, { lead: '3 min', held: 'no turn for 4 min' }],
    ['a passed restart line', pastLine, { what: 'Limit 200 k, past restart line' }],
    ['an idle session', idle, { lead: '', more: 'idle, no turn for 38 min' }],
    ['an idle session with a reading but no turn', { ...idle, lastTurnAt: null }, { more: 'idle' }],
    ['an ended session', { ...idle, liveness: 'ended' }, { more: 'ended' }],
    ['a compaction', compacting, { lead: 'compacting now', more: '' }],
  ])('describes %s', (_name, fields, expected) => {
    expect(textOf(fields)).toMatchObject(expected);
  });

  it.each<[Partial<Session>, string]>([
    [counting, 'About 36 turns (18–72), 9–36 min of activity'],
    [over, '6.9 k over 200 k'],
    [over, 'after a refusal Claude Code compacts'],
    [silent, 'it counts active minutes'],
    [pastLine, 'Restart line passed 9 turns ago, no restart seen'],
  ])('gives exact values on hover: %#', (fields, text) => {
    expect(textOf(fields).exact).toContain(text);
  });

  it('pauses a countdown only after some minutes without a turn', () => {
    expect(textOf(silent, MADE_AT - 3 * 60_000).held).toBeNull();
    expect(textOf({ ...silent, nextBoundary: makeBoundary(null) }).held).toBeNull();
    expect(turnsLeft(0.1)).toBe(1);
  });
});
