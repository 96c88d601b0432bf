import { describe, expect, it } from 'vitest';
import { MADE_AT, makeBoundary, makeForecast, makeSession } from '../../format/testing/make-session';
import { explainNoCountdown, lastSpan } from './prepare-next';

const ago = (minutes: number) => new Date(MADE_AT - minutes * 60_000).toISOString();

describe('without a countdown', () => {
  const early = (number: number, left: number) =>
    makeSession(number, { nextBoundary: { ...makeBoundary(null), left }, forecast: makeForecast(null) });

  it('lists why live sessions have no countdown, the most frequent reason first', () => {
    const still = makeSession(3, {
      nextBoundary: makeBoundary(null),
      forecast: { ...makeForecast(null), certainty: 'still' },
    });
    const over = makeSession(4, {
      used: 210_000,
      nextBoundary: makeBoundary(null, { kind: 'limit', passed: true }),
    });
    const unread = makeSession(5, { used: null });
    const resting = makeSession(6, { liveness: 'idle' });
    const { live, reasons } = explainNoCountdown([
      early(1, 9_000),
      early(2, 5_000),
      still,
      over,
      unread,
      resting,
    ]);
    expect(live).toBe(5);
    expect(reasons[0]).toEqual({ words: 'too early to say', count: 2 });
    expect(new Set(reasons.slice(1).map(({ words }) => words))).toEqual(
      new Set(['not growing', 'past the last boundary', 'without a reading']),
    );
    expect(reasons.reduce((sum, { count }) => sum + count, 0)).toBe(live);
  });

  it('lists the three with the fewest tokens left', () => {
    const rooms = [9_000, 2_000, 7_000, 4_000].map((left, index) => early(index + 1, left));
    expect(explainNoCountdown(rooms).nearest.map(({ key }) => key)).toEqual([
      'session-2',
      'session-4',
      'session-3',
    ]);
  });

  it('finds the newest turn where no session is live', () => {
    const rests = [90, 40, 300].map((minutes, index) =>
      makeSession(index + 1, { liveness: 'idle', lastTurnAt: ago(minutes), startedAt: ago(minutes + 5) }),
    );
    const { live, reasons, nearest, last } = explainNoCountdown(rests);
    expect({ live, reasons, nearest }).toEqual({ live: 0, reasons: [], nearest: [] });
    expect(last?.session.key).toBe('session-2');
    expect(last?.at).toBe(MADE_AT - 40 * 60_000);
    expect(last && lastSpan(last)).toEqual({ from: ago(100), to: ago(35) });
  });

  it('has no newest turn without turns', () => {
    expect(explainNoCountdown([makeSession(1, { liveness: 'idle', lastTurnAt: null })]).last).toBeNull();
  });

  it('prefers sessions from warning up to their limit', () => {
    const at = (number: number, used: number, liveness: 'live' | 'idle' = 'live') =>
      makeSession(number, { used, liveness });
    const sessions = [at(1, 90_000), at(2, 155_000), at(3, 175_000), at(4, 175_000, 'idle'), at(5, 206_000)];
    expect(explainNoCountdown(sessions).near).toBe(2);
  });
});
