import { describe, expect, it } from 'vitest';
import { MADE_AT, makeBoundary, makeForecast, makeSession } from '../../../format/testing/make-session';
import { describeRest, wishedCards } from './choose-wall';
import { wallText } from './wall-text';

const ago38 = new Date(MADE_AT - 38 * 60_000).toISOString();
const plain = (text: string) => text.replaceAll('\u00a0', ' ');

describe('a card of the wall', () => {
  it('shows the minutes left and the boundary', () => {
    const { figure, unit, lead, what, range } = wallText(
      makeSession(1, { nextBoundary: makeBoundary(18.7, { turns: 60.2 }), forecast: makeForecast(18.7) }),
      MADE_AT,
    );
    expect([figure, unit]).toEqual(['19', 'min']);
    expect([lead, what, range].map(plain)).toEqual(['61 turns', 'compacts 167 k', '9–37 min']);
  });

  it('counts hours and days for many minutes', () => {
    const figureAt = (minutes: number) => {
      const { figure, unit } = wallText(makeSession(1, { nextBoundary: makeBoundary(minutes) }), MADE_AT);
      return `${figure} ${unit}`;
    };
    expect([0.4, 119, 130, 49 * 60].map(figureAt)).toEqual(['<1 min', '119 min', '2 h', '2 d']);
  });

  it('counts what is over once the limit is passed', () => {
    const over = (used: number) =>
      wallText(
        makeSession(1, {
          used,
          nextBoundary: makeBoundary(null, { kind: 'limit', at: 200_000, left: 0, passed: true }),
        }),
        MADE_AT,
      );
    expect(over(207_400)).toMatchObject({
      figure: '+7.4',
      unit: 'k',
      lead: 'next turn',
      what: 'may be refused',
      range: 'limit 200\u00a0k passed',
    });
    expect(over(231_900)).toMatchObject({ figure: '+32', unit: 'k' });
    expect(over(200_120)).toMatchObject({ figure: '+0.1', unit: 'k' });
    expect(over(200_120).exact).toContain('120 over 200\u00a0k');
  });

  it('counts turns where their pace is not known', () => {
    const next = { ...makeBoundary(null), turns: 2.2 };
    expect(wallText(makeSession(1, { nextBoundary: next }), MADE_AT)).toMatchObject({
      figure: '3',
      unit: 'turns',
    });
  });

  it('holds the countdown of a silent session', () => {
    const silent = makeSession(1, {
      nextBoundary: makeBoundary(3.4),
      forecast: makeForecast(3.4),
      lastTurnAt: new Date(MADE_AT - 4.2 * 60_000).toISOString(),
    });
    expect(wallText(silent, MADE_AT)).toMatchObject({
      figure: '3',
      lead: 'no turn for 4\u00a0m',
      what: 'compacts 167\u00a0k',
      held: true,
    });
    expect(wallText(silent, MADE_AT - 3 * 60_000)).toMatchObject({ lead: '7 turns', held: false });
  });

  it('shows a passed restart line', () => {
    const past = makeSession(1, {
      used: 186_000,
      nextBoundary: makeBoundary(6, { kind: 'limit', source: 'limit', at: 200_000 }),
      forecast: makeForecast(6),
      restartLinePassed: { at: new Date(MADE_AT - 60_000).toISOString(), turnsSince: 9 },
    });
    expect(wallText(past, MADE_AT)).toMatchObject({ what: 'limit 200\u00a0k', range: 'past restart line' });
  });

  it('shows what comes after a restart line without restarts', () => {
    const near = makeSession(1, {
      used: 178_000,
      nextBoundary: makeBoundary(2, { kind: 'restart', source: 'setting', at: 180_000 }),
      forecast: makeForecast(2),
      tokensPerMinute: 2_000,
    });
    expect(wallText(near, MADE_AT)).toMatchObject({
      figure: '2',
      lead: 'restart line 180\u00a0k',
      what: 'limit in 12\u00a0min',
    });
  });

  it('gives the reason in place of a figure where nothing is counted down', () => {
    expect(
      wallText(makeSession(1, { nextBoundary: makeBoundary(null), forecast: makeForecast(null) }), MADE_AT),
    ).toMatchObject({ figure: '', unit: '', lead: 'too early to say', range: '' });
    expect(
      wallText(
        makeSession(1, { liveness: 'idle', lastTurnAt: ago38, nextBoundary: makeBoundary(4) }),
        MADE_AT,
      ),
    ).toMatchObject({
      figure: '',
      lead: 'idle, no turn for 38\u00a0m',
      what: 'compacts 167\u00a0k',
    });
    expect(wallText(makeSession(1, { state: 'untracked', used: null }), MADE_AT)).toMatchObject({
      figure: '',
      lead: 'not tracked',
    });
  });
});

describe('the wall', () => {
  const at = (minutesAgo: number) => new Date(MADE_AT - minutesAgo * 60_000).toISOString();
  const live = makeSession(1, { nextBoundary: makeBoundary(26) });
  const paused = makeSession(2, { liveness: 'idle', lastTurnAt: at(40) });
  const left = makeSession(3, { liveness: 'idle', lastTurnAt: at(90) });
  const silent = makeSession(4, { liveness: 'idle', lastTurnAt: null });

  it('makes room for sessions active within the hour', () => {
    expect(wishedCards([live, paused, left, silent], MADE_AT)).toBe(2);
    expect(wishedCards([left, silent], MADE_AT), 'without any, for all').toBe(2);
    expect(wishedCards([], MADE_AT)).toBe(0);
  });

  it('summarises sessions without a card', () => {
    const critical = makeSession(5, { used: 180_000, nextBoundary: makeBoundary(31) });
    expect(describeRest([live, critical, paused], MADE_AT)).toEqual({
      count: 3,
      firstMinutes: 26,
      states: [
        { state: 'critical', count: 1 },
        { state: 'elevated', count: 2 },
      ],
    });
    const held = makeSession(6, { nextBoundary: makeBoundary(2), lastTurnAt: at(5) });
    expect(describeRest([held, critical], MADE_AT).firstMinutes, 'of those at work').toBe(31);
    expect(describeRest([held], MADE_AT).firstMinutes).toBeNull();
    expect(describeRest([left], MADE_AT)).toMatchObject({ count: 1, firstMinutes: null });
  });
});
