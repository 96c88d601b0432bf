import { describe, expect, it } from 'vitest';
import type { Forecast } from '@/core/api/session';
import {
  betweenWords,
  forecastSentence,
  minutesRange,
  silentWords,
  turnsRange,
  turnsWords,
} from './forecast-words';

const NBSP = '\u00a0';
const forecast: Forecast = {
  kind: 'compaction',
  at: 167_000,
  turns: { low: 9, mid: 16, high: 25 },
  minutes: { low: 9.4, mid: 18, high: 33.9 },
  certainty: 'fair',
  tokensPerTurn: 1_900,
};

describe('the words of a forecast', () => {
  it('name the middle and the range', () => {
    expect(turnsWords({ low: 9, mid: 16, high: 25 })).toBe('16 turns (9–25)');
    expect(turnsWords({ low: 1, mid: 1, high: 1 })).toBe('1 turn (1)');
    expect(turnsRange({ low: 900, mid: 1_200, high: 2_500 })).toBe('900–2\u202f500');
    expect(minutesRange({ low: 9.4, mid: 18, high: 33.9 })).toBe(`9–34${NBSP}min`);
    expect(minutesRange({ low: 0.2, mid: 0.4, high: 0.9 })).toBe(`<1${NBSP}min`);
    expect(minutesRange({ low: 40, mid: 90, high: 200 })).toBe(`40${NBSP}min – 3${NBSP}h`);
  });

  it('omit the unit beside a figure of the same unit', () => {
    expect(betweenWords({ low: 9.4, mid: 18, high: 33.9 })).toBe('between 9 and 34');
    expect(betweenWords({ low: 0.5, mid: 3, high: 6 })).toBe('between <1 and 6');
    expect(betweenWords({ low: 40, mid: 90, high: 200 })).toBe(`between 40${NBSP}min and 3${NBSP}h`);
  });

  it('say the whole of it in one sentence', () => {
    expect(forecastSentence(forecast)).toBe(
      `about 16 turns (9–25), 9–34${NBSP}min of work; right 80 % of the time`,
    );
    expect(forecastSentence({ ...forecast, minutes: null })).toBe(
      'about 16 turns (9–25); right 80 % of the time',
    );
  });

  it('tell a context that does not grow from one that is too young', () => {
    const none = { ...forecast, turns: null, minutes: null };
    expect(silentWords({ ...none, certainty: 'early' })).toBe('too early to say');
    expect(forecastSentence({ ...none, certainty: 'still' })).toBe('not growing');
    expect(silentWords(null)).toBe('too early to say');
  });
});
