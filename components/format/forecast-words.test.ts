import { expect, it } from 'vitest';
import { betweenWords, forecastSentence, minutesRange, silentWords, turnsRange } from './forecast-words';
import { makeForecast } from './testing/make-session';

const plain = (text: string) => text.replaceAll('\u00a0', ' ').replaceAll('\u202f', '_');

it.each([
  [{ low: 9.4, mid: 18, high: 33.9 }, '9–34 min', 'between 9 and 34'],
  [{ low: 0.2, mid: 0.4, high: 0.9 }, '<1 min', 'in <1 min'],
  [{ low: 40, mid: 90, high: 200 }, '40 min – 3 h', 'between 40 min and 3 h'],
])('writes the range %j as %s', (range, words, between) => {
  expect([minutesRange(range), betweenWords(range)].map(plain)).toEqual([words, between]);
});

it('writes the forecast as a sentence', () => {
  const forecast = {
    ...makeForecast(18),
    turns: { low: 9, mid: 16, high: 25 },
    minutes: { low: 9.4, mid: 18, high: 33.9 },
  };
  const one = { low: 1, mid: 1, high: 1 };
  expect(plain(turnsRange({ low: 900, mid: 1_200, high: 2_500 }))).toBe('900–2_500');
  expect(plain(forecastSentence(forecast))).toBe(
    'about 16 turns (9–25), 9–34 min of activity; right 80 % of the time',
  );
  expect(forecastSentence({ ...forecast, turns: one, minutes: null })).toBe(
    'about 1 turn (1); right 80 % of the time',
  );
});

it('gives the reason of a missing forecast', () => {
  expect(forecastSentence({ ...makeForecast(null), certainty: 'still' })).toBe('not growing');
  expect([silentWords(makeForecast(null)), silentWords(null)]).toEqual([
    'no forecast yet',
    'no forecast yet',
  ]);
});
