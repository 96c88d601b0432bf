import { describe, expect, it } from 'vitest';
import { pointOf } from '../../charts/series-fixture';
import { sessionOf } from '../../format/testing/session-fixture';
import { lensSentence } from './lens-sentence';

const thin = (text: string) => text.replaceAll('\u00a0', ' ').replaceAll('\u202f', ' ');

describe('lensSentence', () => {
  it('says that cache reads make 719 % of a session at 3.2 %', () => {
    const session = sessionOf({ lens: 'cumulative', used: 6_367, pressure: 0.031835 });
    const point = pointOf({ n: 1, used: 1_438_629, cacheRead: 1_432_262 });
    expect(thin(lensSentence(session, 'cache-inflated', point))).toBe(
      'With cache reads counted turn 1 would read 719 %: 1 432 262 of its 1 438 629 tokens came from the cache. Pressure is 3.2 %, the sum of all turns. Each call of a turn reads the same context from the cache again, and a tool that adds them up counts it once a call.',
    );
  });
  it('does not speak of one turn where the point is many', () => {
    expect(lensSentence(sessionOf(), 'last-turn', pointOf({ n: 12, used: 900 }))).toMatch(
      /^Turn 12 alone would read/,
    );
    const point = pointOf({ n: 9, turns: 9, used: 150_000, cacheRead: 900_000 });
    expect(lensSentence(sessionOf(), 'cache-inflated', point)).not.toContain('this turn');
  });
  it('says so where a lens has no value', () => {
    const session = sessionOf({ lens: 'cumulative' });
    expect(lensSentence(session, 'snapshot', pointOf({ n: 1, used: null }))).toContain('has no value');
    expect(lensSentence(sessionOf({ limit: null }), 'cumulative', pointOf({ n: 1, limit: null }))).toContain(
      'no value',
    );
  });
});
