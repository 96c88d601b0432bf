import { describe, expect, it } from 'vitest';
import type { Session } from '@/core/api/session';
import { limitSign, restingWords, silenceMs, silenceWords } from './session-words';
import { MADE_AT, makeSession } from './testing/make-session';

const MINUTE = 60_000;
const ago = (minutes: number) => new Date(MADE_AT - minutes * MINUTE).toISOString();

describe('a silence', () => {
  const quick = { tokensPerTurn: 1_000, tokensPerMinute: 2_000 };
  const slow = { tokensPerTurn: 1_000, tokensPerMinute: 500 };

  it('is shown after two minutes without a turn, in whole units', () => {
    const silent = (minutes: number) =>
      silenceMs(makeSession(1, { ...quick, lastTurnAt: ago(minutes) }), MADE_AT);
    expect(silent(1.9)).toBeNull();
    expect(silent(4.5)).toBe(4.5 * MINUTE);
    expect(silenceWords(4.5 * MINUTE)).toBe('no turn for 4\u00a0min');
  });

  it('is not shown for an agent with long turns', () => {
    const silent = (minutes: number) =>
      silenceMs(makeSession(1, { ...slow, lastTurnAt: ago(minutes) }), MADE_AT);
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
    const words = (fields: Partial<Session>) =>
      restingWords(makeSession(1, { lastTurnAt, ...fields }), MADE_AT);
    expect(words({ liveness: 'idle' })).toBe('idle, no turn for 38\u00a0min');
    expect(words({ liveness: 'idle', lastTurnAt: null, used: null })).toBe('idle, no turn yet');
    expect(words({ liveness: 'idle', lastTurnAt: null, used: 151_000 })).toBe('idle');
    expect(words({ liveness: 'ended' })).toBe('ended');
    expect(words({})).toBe('');
  });
});

describe('the sign of a limit', () => {
  it('marks an assumed limit only', () => {
    expect(limitSign('assumed')).toBe('≈');
    expect(limitSign('table')).toBe('');
  });
});
