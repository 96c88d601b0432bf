import { describe, expect, it } from 'vitest';
import { limitSign, restingWords, silenceMs, silenceWords } from './session-words';
import { MADE_AT, makeForecast, makeSession } from './testing/make-session';

const MINUTE = 60_000;
const ago = (minutes: number) => new Date(MADE_AT - minutes * MINUTE).toISOString();

describe('a silence', () => {
  // 18 minutes for 36 turns: half a minute a turn.
  const quick = makeForecast(18);

  it('is shown after two minutes without a turn, in whole units', () => {
    const silent = (minutes: number) =>
      silenceMs(makeSession(1, { forecast: quick, lastTurnAt: ago(minutes) }), MADE_AT);
    expect(silent(1.9)).toBeNull();
    expect(silent(4.5)).toBe(4.5 * MINUTE);
    expect(silenceWords(4.5 * MINUTE)).toBe('no turn for 4\u00a0m');
  });

  it('is not shown for an agent with long turns', () => {
    const slow = { ...quick, minutes: { low: 10, mid: 20, high: 40 }, turns: { low: 5, mid: 10, high: 20 } };
    const silent = (minutes: number) =>
      silenceMs(makeSession(1, { forecast: slow, lastTurnAt: ago(minutes) }), MADE_AT);
    expect(silent(7)).toBeNull();
    expect(silent(8)).toBe(8 * MINUTE);
  });

  it('is shown even without a forecast, but only for live sessions', () => {
    expect(silenceMs(makeSession(1, { forecast: null, lastTurnAt: ago(3) }), MADE_AT)).toBe(3 * MINUTE);
    expect(silenceMs(makeSession(1, { liveness: 'idle', lastTurnAt: ago(30) }), MADE_AT)).toBeNull();
    expect(silenceMs(makeSession(1, { lastTurnAt: null }), MADE_AT)).toBeNull();
  });

  it('has the same words for an idle session', () => {
    const lastTurnAt = ago(38);
    expect(restingWords({ liveness: 'idle', lastTurnAt }, MADE_AT)).toBe('idle, no turn for 38\u00a0m');
    expect(restingWords({ liveness: 'idle', lastTurnAt: null }, MADE_AT)).toBe('idle, no turn yet');
    expect(restingWords({ liveness: 'ended', lastTurnAt }, MADE_AT)).toBe('ended');
    expect(restingWords({ liveness: 'live', lastTurnAt }, MADE_AT)).toBe('');
  });
});

describe('the sign of a limit', () => {
  it('marks an assumed limit only', () => {
    expect(limitSign('assumed')).toBe('≈');
    expect(limitSign('table')).toBe('');
  });
});
