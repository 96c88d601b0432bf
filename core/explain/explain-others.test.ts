import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HistoryFigures } from '../api/history';
import type { EventDetail } from '../events/details';
import { eventOf } from '../events/event.fixture';
import { explainCompaction } from './explain-compaction';
import { FLEET_FIGURES } from './explain-fleet';
import { HISTORY_FIGURES } from './explain-history';
import { explainPlace } from './explain-place';
import { say, tokens } from './explanation';
import { atLeast, ceil, divide, evaluate, hundredths, lineAt, subtract, value, valuesOf } from './formula';

const one = (amount: number) => value('n', amount, 'count');

describe('a formula', () => {
  it('rounds as the accounting does: 0.29 of 100 lies at 29, not at 28', () => {
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
  const event = (detail: Partial<EventDetail<'compaction'>>) =>
    eventOf({ id: 'e', kind: 'compaction', context: 2, turn: 93, detail });

  it('is what was before less the first reading after it, with its share and duration', () => {
    const explanation = explainCompaction(
      event({
        preTokens: 155_413,
        firstReading: 59_944,
        postTokens: 4_000,
        durationMs: 77_000,
        limit: 200_000,
      }),
    );
    expect(explanation.result).toBe(95_469);
    expect(explanation.formula && evaluate(explanation.formula.expression)).toBe(95_469);
    expect(explanation.sources.map(({ name, from }) => [name, from[0]])).toContainEqual([
      'before',
      'the client’s own count when it compacted',
    ]);
    expect(explanation.steps).toHaveLength(3);
  });

  it('is not known while no reading came after it', () => {
    const explanation = explainCompaction(event({ preTokens: 155_413 }));
    expect(explanation).toMatchObject({ result: null, formula: null, certainty: 'not known' });
    expect(explanation.steps).toEqual([{ says: ['Duration not reported.'] }]);
  });

  it('says so where the first reading is an estimate', () => {
    const explanation = explainCompaction(
      event({ lastReading: 90_000, firstReading: 20_000, firstReadingEstimated: true }),
    );
    expect(explanation).toMatchObject({ result: 70_000, certainty: 'estimate' });
  });
});

describe('what the fleet and history tell', () => {
  const hour = { restarts: 1, compactions: 3, cacheReadShare: 0.9 };
  const states = { redlined: 1, critical: 0, warning: 2, elevated: 0, nominal: 4, unknown: 1, untracked: 0 };
  const facts = {
    liveness: { live: 6, idle: 2, ended: 3 },
    states,
    arrived: 11,
    total: 11,
    filters: [] as string[],
    hour,
  };

  it('adds up to the counts: sessions by liveness, and live and idle ones by state', () => {
    const { formula, steps, result } = FLEET_FIGURES.counts(facts);
    expect(formula && evaluate(formula.expression)).toBe(11);
    expect(result).toBe(11);
    expect(steps.map((step) => ('formula' in step ? evaluate(step.formula.expression) : null))).toEqual([8]);
  });

  it('says that more are to come while the fleet is still loading', () => {
    const explanation = FLEET_FIGURES.counts({ ...facts, total: 500 });
    expect(explanation.certainty).toBe('at least');
    expect(explanation.caveats.at(-1)).toContainEqual({ value: 489, unit: 'count' });
  });

  it('shows the figures of the last hour as they are', () => {
    expect(FLEET_FIGURES.compactions(facts).result).toBe(3);
    expect(FLEET_FIGURES.restarts(facts).result).toBe(1);
    expect(FLEET_FIGURES['cache-share'](facts)).toMatchObject({
      result: 0.9,
      certainty: 'exact',
      caveats: [{}],
    });
  });

  it('calls the share of cache reads an estimate where it is read of a part of the sessions', () => {
    const explanation = FLEET_FIGURES['cache-share']({ ...facts, arrived: 1_001, total: 1_001 });
    expect(explanation).toMatchObject({ result: 0.9, certainty: 'estimate' });
    expect(explanation.caveats.at(-1)).toContainEqual({ value: 1_000, unit: 'count' });
  });

  it('says to what the counts are narrowed, and does not take the others for missing', () => {
    const explanation = FLEET_FIGURES.counts({
      ...facts,
      arrived: 40,
      total: 40,
      filters: ['project ledger', 'live'],
    });
    expect(explanation.certainty).toBe('exact');
    expect(explanation.caveats.at(-1)?.join('')).toContain('project ledger, live');
  });

  it('puts a tick where the barcode draws it, and one past the end at the end', () => {
    const place = (pressure: number) => explainPlace({ tick: { title: 'One', pressure, widthPx: 1_100 } });
    expect(place(0.5).result).toBeCloseTo(500, 6);
    expect(place(3).result).toBe(1_100);
    expect(explainPlace({ tick: null })).toMatchObject({ result: null, certainty: 'not known' });
  });

  const figures = (fields: Partial<HistoryFigures>): HistoryFigures => ({
    turns: 0,
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheCreation: 0,
    cacheShare: null,
    restarts: 0,
    compactions: 0,
    thrashes: 0,
    cacheStorms: 0,
    peak: null,
    ...fields,
  });
  const point = (hourOfDay: number, fields: Partial<HistoryFigures>) => ({
    ...figures(fields),
    from: new Date(Date.UTC(2026, 0, 5, hourOfDay)).toISOString(),
    to: new Date(Date.UTC(2026, 0, 5, hourOfDay + 1)).toISOString(),
  });

  it('sums a range from its slots, however many they are, and names the busiest', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9_000_000 }), { maxLength: 20 }), (inputs) => {
        const points = inputs.map((input, index) => point(index, { input }));
        const total = figures({ input: inputs.reduce((sum, input) => sum + input, 0) });
        const range = { of: 'all that match', from: '2026-01-05T00:00:00Z', to: '2026-01-06T00:00:00Z' };
        const { formula, result } = HISTORY_FIGURES.input({ ...range, total, points });
        expect(result).toBe(total.input);
        if (total.input > 0) expect(formula && evaluate(formula.expression)).toBe(total.input);
      }),
    );
  });

  it('names the slot of the highest peak and calculates the cache share', () => {
    const total = figures({ peak: 0.97, input: 100, cacheRead: 800, cacheCreation: 100, cacheShare: 0.8 });
    const period = { of: 'atlas', from: '2026-01-05T00:00:00Z', to: '2026-01-06T00:00:00Z', total };
    const peak = HISTORY_FIGURES.peak({
      ...period,
      points: [point(3, { peak: 0.4 }), point(9, { peak: 0.97 })],
    });
    expect(peak.result).toBe(0.97);
    expect(peak.steps).toHaveLength(1);
    expect(JSON.stringify(peak.steps)).toContain(String(Date.UTC(2026, 0, 5, 9)));
    const { formula, result } = HISTORY_FIGURES.cacheShare({ ...period, points: null });
    expect(formula && evaluate(formula.expression)).toBe(result);
    expect(result).toBe(0.8);
  });
});
