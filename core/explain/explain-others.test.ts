import { describe, expect, it } from 'vitest';
import type { HistoryFigures } from '../api/history';
import type { EventDetail } from '../events/details';
import { eventOf } from '../events/event.fixture';
import { figuresOf } from '../history/history.fixture';
import { fc } from '../testing/property-runs';
import { explainCompaction } from './explain-compaction';
import { FLEET_FIGURES } from './explain-fleet';
import { explainHistory } from './explain-history';
import { say, tokens } from './explanation';
import { atLeast, ceil, divide, evaluate, hundredths, lineAt, subtract, value } from './formula';

const one = (amount: number) => value('n', amount, 'count');

it('rounds like the accounting: 0.29 of 100 is 29, not 28', () => {
  expect(evaluate(lineAt(one(0.29), one(100)))).toBe(29);
  expect(evaluate(atLeast(0, subtract(one(3), one(5))))).toBe(0);
  expect(evaluate(ceil(divide(one(7), one(2))))).toBe(4);
  expect(evaluate(hundredths(divide(one(1), one(3))))).toBe(0.33);
});

it('joins the texts of a phrase and keeps its numbers as parts', () => {
  expect(say`at ${tokens(5)}${say`, so ${'much'}`}`).toEqual([
    'at ',
    { value: 5, unit: 'tokens' },
    ', so much',
  ]);
});

describe('explainCompaction', () => {
  const explain = (detail: Partial<EventDetail<'compaction'>>) =>
    explainCompaction(eventOf({ id: 'e', kind: 'compaction', context: 2, turn: 93, detail }));

  it('subtracts the first reading after the compaction from the client’s count', () => {
    const explanation = explain({
      preTokens: 155_413,
      firstReading: 59_944,
      postTokens: 4_000,
      durationMs: 77_000,
      limit: 200_000,
    });
    expect(explanation.result).toBe(95_469);
    expect(explanation.sources.before).toEqual(['the client’s own count when it compacted']);
    expect(explanation.steps).toHaveLength(3);
  });

  it('has the reading of the last turn as the second figure', () => {
    const caveat = (lastReading: number) =>
      JSON.stringify(explain({ preTokens: 155_413, firstReading: 59_944, lastReading }).caveats[0]);
    expect(caveat(154_668)).toMatch(/trace and the peak end with the last counted turn.*154668/);
    expect(caveat(156_000)).toMatch(/last counted turn had read.*156000/);
    expect(caveat(155_413)).toMatch(/^\["No sum includes/);
  });

  it('is unknown until the next reading, and an estimate if that reading is estimated', () => {
    expect(explain({ preTokens: 155_413 })).toMatchObject({
      result: null,
      formula: null,
      certainty: 'not known',
      steps: [['Duration not reported.']],
    });
    expect(explain({ lastReading: 90_000, firstReading: 20_000, firstReadingEstimated: true })).toMatchObject(
      { result: 70_000, certainty: 'estimate' },
    );
  });
});

describe('figures of the fleet', () => {
  const facts = {
    liveness: { live: 6, idle: 2, ended: 3 },
    states: { redlined: 1, critical: 0, warning: 2, elevated: 0, nominal: 4, unknown: 1, untracked: 0 },
    arrived: 11,
    hidden: 0,
    total: 11,
    filters: [] as string[],
    hour: { restarts: 1, compactions: 3, cacheReadShare: 0.9 },
  };

  it('are sums by liveness, and sums by state for live and idle sessions', () => {
    const { steps, result } = FLEET_FIGURES.counts(facts);
    expect(result).toBe(11);
    expect(steps.map((step) => 'expression' in step && evaluate(step.expression))).toEqual([8]);
    expect(FLEET_FIGURES.compactions(facts).result).toBe(3);
    expect(FLEET_FIGURES.restarts(facts).result).toBe(1);
    expect(FLEET_FIGURES['cache-share'](facts)).toMatchObject({ result: 0.9, certainty: 'exact' });
  });

  it('are lower bounds while the fleet loads; the cache share of a large fleet is an estimate', () => {
    const loading = FLEET_FIGURES.counts({ ...facts, total: 500 });
    expect(loading.certainty).toBe('at least');
    expect(loading.caveats.at(-1)).toContainEqual({ value: 489, unit: 'count' });
    const part = FLEET_FIGURES['cache-share']({ ...facts, arrived: 1_001, total: 1_001 });
    expect(part).toMatchObject({ result: 0.9, certainty: 'estimate' });
    expect(part.caveats.at(-1)).toContainEqual({ value: 1_000, unit: 'count' });
    const filtered = FLEET_FIGURES.counts({ ...facts, filters: ['project ledger', 'live'] });
    expect(filtered.certainty).toBe('exact');
    expect(filtered.caveats.at(-1)?.join('')).toContain('project ledger, live');
  });
});

describe('figures of history', () => {
  const point = (hourOfDay: number, fields: Partial<HistoryFigures>) => ({
    ...figuresOf(fields),
    from: new Date(Date.UTC(2026, 0, 5, hourOfDay)).toISOString(),
    to: new Date(Date.UTC(2026, 0, 5, hourOfDay + 1)).toISOString(),
  });
  const range = { of: 'all that match', from: '2026-01-05T00:00:00Z', to: '2026-01-06T00:00:00Z' };

  it('are the sums of any number of slots', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9_000_000 }), { maxLength: 20 }), (inputs) => {
        const points = inputs.map((input, index) => point(index, { input }));
        const total = figuresOf({ input: inputs.reduce((sum, input) => sum + input, 0) });
        const { formula, result } = explainHistory('input', { ...range, total, points });
        expect(result).toBe(total.input);
        if (total.input > 0) expect(formula && evaluate(formula.expression)).toBe(total.input);
      }),
    );
  });

  it('name the slot of the highest peak and calculate the cache share', () => {
    const total = figuresOf({ peak: 0.97, input: 100, cacheRead: 800, cacheCreation: 100, cacheShare: 0.8 });
    const points = [point(3, { peak: 0.4 }), point(9, { peak: 0.97 })];
    const peak = explainHistory('peak', { ...range, total, points });
    expect(peak.result).toBe(0.97);
    expect(JSON.stringify(peak.steps)).toContain(String(Date.UTC(2026, 0, 5, 9)));
    const { formula } = explainHistory('cacheShare', { ...range, total, points: null });
    expect(formula && evaluate(formula.expression)).toBe(0.8);
  });
});
