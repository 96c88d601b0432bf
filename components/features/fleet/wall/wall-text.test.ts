import { describe, expect, it } from 'vitest';
import type { Session } from '@/core/api/session';
import { MADE_AT, makeBoundary, makeForecast, makeSession } from '../../../format/testing/make-session';
import { describeRest, wallText } from './wall-text';

const ago = (minutes: number) => new Date(MADE_AT - minutes * 60_000).toISOString();
const textOf = (fields: Partial<Session>, now = MADE_AT) => {
  const { held, ...text } = wallText(makeSession(1, fields), now);
  const plain = Object.entries(text).map(([name, value]) => [name, value.replaceAll('\u00a0', ' ')]);
  return { ...Object.fromEntries(plain), held };
};
const over = (used: number): Partial<Session> => ({
  used,
  nextBoundary: makeBoundary(null, { kind: 'limit', at: 200_000, left: 0, passed: true }),
});
const counting = { nextBoundary: makeBoundary(18.7, { turns: 60.2 }), forecast: makeForecast(18.7) };
const unpaced = { ...makeBoundary(null), turns: 2.2 };
const quiet = { nextBoundary: makeBoundary(null), forecast: makeForecast(null) };
const idle = { liveness: 'idle', lastTurnAt: ago(38), nextBoundary: makeBoundary(4) } as const;
const atLimit = makeBoundary(6, { kind: 'limit', source: 'limit', at: 200_000 });
const pastLine = { used: 186_000, nextBoundary: atLimit, restartLinePassed: { at: ago(1), turnsSince: 9 } };
const silent = { nextBoundary: makeBoundary(3.4), forecast: makeForecast(3.4), lastTurnAt: ago(4.2) };

describe('a card of the wall', () => {
  it.each<[string, Partial<Session>, Record<string, unknown>]>([
    ['a countdown', counting, { figure: '19', unit: 'min', lead: '61 turns', range: '9–37 min' }],
    ['the boundary of a countdown', counting, { what: 'compacts 167 k' }],
    ['less than a minute', { nextBoundary: makeBoundary(0.4) }, { figure: '<1', unit: 'min' }],
    ['hours', { nextBoundary: makeBoundary(130) }, { figure: '2', unit: 'h' }],
    ['a passed limit', over(207_400), { figure: '+7.4', unit: 'k', lead: 'limit passed' }],
    ['what follows a passed limit', over(207_400), { what: 'next turn', range: 'may be refused' }],
    ['much over a limit', over(231_900), { figure: '+32', unit: 'k' }],
    [
      'little over a limit',
      over(200_120),
      { figure: '+0.1', exact: expect.stringContaining('120 over 200 k') },
    ],
    ['turns of unknown pace', { nextBoundary: unpaced }, { figure: '3', unit: 'turns' }],
    ['a silent session', silent, { figure: '3', lead: 'no turn for 4 min', held: true }],
    ['the boundary of a silent session', silent, { what: 'compacts 167 k' }],
    ['a passed restart line', pastLine, { what: 'limit 200 k', range: 'past restart line' }],
    ['too few turns', quiet, { figure: '', unit: '', lead: 'no forecast yet', range: '' }],
    ['an idle session', idle, { figure: '', lead: 'idle, no turn for 38 min', what: 'compacts 167 k' }],
    ['an untracked session', { state: 'untracked', used: null }, { figure: '', lead: 'not tracked' }],
  ])('shows %s', (_name, fields, expected) => {
    expect(textOf(fields)).toMatchObject(expected);
  });

  it('counts down until a session is silent', () => {
    expect(textOf(silent, MADE_AT - 3 * 60_000)).toMatchObject({ lead: '7 turns', held: false });
  });
});

it('summarises sessions without a card', () => {
  const live = makeSession(1, { nextBoundary: makeBoundary(26) });
  const idle = makeSession(2, { liveness: 'idle', lastTurnAt: ago(40) });
  const critical = makeSession(5, { used: 180_000, nextBoundary: makeBoundary(31) });
  const held = makeSession(6, { nextBoundary: makeBoundary(2), lastTurnAt: ago(5) });
  const { firstMinutes, states, ...more } = describeRest([live, critical, idle], MADE_AT);
  expect([firstMinutes, more]).toEqual([26, { paused: 0 }]);
  expect(states.map(({ state, count }) => `${count} ${state}`)).toEqual(['1 critical', '2 elevated']);
  expect(describeRest([held, critical], MADE_AT).firstMinutes, 'of those that count down').toBe(31);
  expect(describeRest([held, live], MADE_AT), 'counts the others').toMatchObject({
    firstMinutes: 26,
    paused: 1,
  });
  expect(describeRest([held], MADE_AT).firstMinutes).toBeNull();
});
