import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../api/session';
import { explainCompaction } from './explain-compaction';
import { say, tokens } from './explanation';
import { atLeast, ceil, divide, evaluate, hundredths, lineAt, subtract, value, valuesOf } from './formula';

const one = (amount: number) => value('n', amount, 'count');

describe('a formula', () => {
  it('reckons as the accounting does: 0.29 of 100 lies at 29, not at 28', () => {
    expect(evaluate(lineAt(one(0.29), one(100)))).toBe(29);
    expect(evaluate(atLeast(0, 'tokens', subtract(one(3), one(5))))).toBe(0);
    expect(evaluate(ceil(divide(one(7), one(2))))).toBe(4);
    expect(evaluate(hundredths(divide(one(1), one(3))))).toBe(0.33);
  });

  it('lists the numbers that have a name, in the order of reading', () => {
    const left = atLeast(
      0,
      'tokens',
      subtract(value('line', 9, 'tokens'), value('used', 4, 'tokens', 'used')),
    );
    expect(valuesOf(left).map(({ name, leadsTo }) => [name, leadsTo])).toEqual([
      ['line', undefined],
      ['used', 'used'],
    ]);
  });
});

describe('a phrase', () => {
  it('joins its words and keeps its numbers apart', () => {
    expect(say`at ${tokens(5)}${say`, so ${'much'}`}`).toEqual([
      'at ',
      { value: 5, unit: 'tokens' },
      ', so much',
    ]);
  });
});

describe('what a compaction freed', () => {
  const event = (detail: Record<string, unknown>) =>
    ({ detail, context: 2, turn: 93, at: '2026-01-23T17:51:07.000Z' }) as unknown as SessionEvent;

  it('is what was before less the first reading after it, with its share and duration', () => {
    const told = explainCompaction(
      event({
        preTokens: 155_413,
        firstReading: 59_944,
        postTokens: 4_000,
        durationMs: 77_000,
        limit: 200_000,
      }),
    );
    expect(told.result).toBe(95_469);
    expect(told.formula && evaluate(told.formula.expression)).toBe(95_469);
    expect(told.sources.map(({ name, from }) => [name, from[0]])).toContainEqual([
      'before',
      'stated by the client',
    ]);
    expect(told.steps).toHaveLength(3);
  });

  it('is not known while no reading came after it', () => {
    const told = explainCompaction(event({ preTokens: 155_413, durationMs: 'long' }));
    expect(told).toMatchObject({ result: null, formula: null, certainty: 'not known' });
    expect(told.steps).toEqual([{ says: ['How long it took was not reported.'] }]);
  });

  it('says so where the first reading is an estimate', () => {
    const told = explainCompaction(
      event({ lastReading: 90_000, firstReading: 20_000, firstReadingEstimated: true }),
    );
    expect(told).toMatchObject({ result: 70_000, certainty: 'estimate' });
  });
});
