import { describe, expect, it } from 'vitest';
import { firstOccupancy, growthOfCall } from '../scenario/play-agent';
import { createRandom } from '../scenario/random';
import { fc } from '../testing/property-runs';
import { countDown } from './count-down';
import { closeRecord, emptyGrowthRecord, recordTurn } from './growth-record';

const POINT = 167_000;

function recordOf(growths: readonly number[], minutes = 1) {
  const record = emptyGrowthRecord();
  for (const tokens of growths) recordTurn(record, minutes, tokens);
  return record;
}

const alike = (count: number, value: number) => Array.from({ length: count }, () => value);

describe('counting down to a point', () => {
  it('divides the distance by the growth if all turns grew equally', () => {
    const { turns, minutes, certainty } = countDown(recordOf(alike(40, 2_000)), 100_000, POINT, 'snapshot');
    expect(turns?.mid).toBeGreaterThanOrEqual(50);
    expect(turns?.mid).toBeLessThanOrEqual(53);
    expect(minutes?.mid).toBeLessThanOrEqual(turns?.mid ?? 0);
    expect(certainty).toBe('fair');
  });

  it('trusts the waits of a session more, the more there are', () => {
    const shareAfter = (count: number) => {
      const { turns, minutes } = countDown(recordOf(alike(count, 2_000)), 100_000, POINT, 'snapshot');
      return (minutes?.mid ?? 0) / (turns?.mid ?? 1);
    };
    expect(shareAfter(5)).toBeGreaterThan(0.6);
    expect(shareAfter(5)).toBeLessThan(0.8);
    expect(shareAfter(40)).toBeGreaterThan(0.85);
    expect(shareAfter(400)).toBeGreaterThan(0.95);
  });

  it('rounds a partial turn up', () => {
    const { turns } = countDown(recordOf(alike(60, 2_000)), 4_300, 20_000, 'snapshot');
    expect(turns?.mid).toBe(3);
  });

  it('has no forecast before three turns of growth', () => {
    expect(countDown(recordOf([2_000, 2_000]), 90_000, POINT, 'snapshot')).toEqual({
      turns: null,
      minutes: null,
      certainty: 'early',
      tokensPerTurn: null,
    });
    expect(countDown(recordOf(alike(3, 2_000)), 90_000, POINT, 'snapshot').turns).not.toBeNull();
  });

  it('has no forecast for a context that does not grow, and gives that reason', () => {
    expect(countDown(recordOf(alike(9, -40)), 90_000, POINT, 'snapshot').certainty).toBe('still');
  });

  it('changes little after one huge turn, although its range widens', () => {
    const calm = countDown(recordOf(alike(20, 2_000)), 90_000, POINT, 'snapshot').turns;
    const huge = countDown(recordOf([...alike(20, 2_000), 60_000]), 90_000, POINT, 'snapshot').turns;
    expect((huge?.mid ?? 0) / (calm?.mid ?? 1)).toBeGreaterThan(0.8);
    expect((huge?.mid ?? 0) / (calm?.mid ?? 1)).toBeLessThan(1.2);
    const width = (range: typeof calm) => (range?.high ?? 0) / (range?.low ?? 1);
    expect(width(huge)).toBeGreaterThan(width(calm));
  });

  it('changes little in minutes after an idle night, and at most by the next turn in turns', () => {
    const record = recordOf(alike(20, 2_000));
    const before = countDown(record, 90_000, POINT, 'snapshot');
    recordTurn(record, 600, 2_000);
    const after = countDown(record, 90_000, POINT, 'snapshot');
    expect((before.turns?.mid ?? 0) - (after.turns?.mid ?? 0)).toBeLessThanOrEqual(1);
    expect((after.minutes?.mid ?? 0) / (before.minutes?.mid ?? 1)).toBeLessThan(1.3);
  });

  it('starts over after a boundary, with the prior of the previous context', () => {
    const record = recordOf(alike(30, 6_000));
    closeRecord(record);
    expect(countDown(record, 100_000, POINT, 'snapshot').certainty).toBe('early');
    for (const tokens of [9_000, 200, 14_000, 500]) recordTurn(record, 1, tokens);
    const fresh = recordOf([9_000, 200, 14_000, 500]);
    const known = countDown(record, 100_000, POINT, 'snapshot').turns?.mid ?? 0;
    expect(known).toBeLessThan(countDown(fresh, 100_000, POINT, 'snapshot').turns?.mid ?? 0);
  });

  it('extends the range down near the point, and not up, because clients also compact before it', () => {
    const endsAt = (unit: 'turns' | 'minutes', left: number) => {
      const forecast = countDown(recordOf(alike(40, 500)), left, POINT, 'snapshot');
      const { low, mid, high } = forecast[unit] ?? { low: 0, mid: 0, high: 0 };
      return { down: mid / low, up: high / mid };
    };
    for (const unit of ['turns', 'minutes'] as const) {
      const [near, far] = [endsAt(unit, 10_000), endsAt(unit, 120_000)];
      expect(near.down / near.up).toBeGreaterThan(1.3 * (far.down / far.up));
      expect(far.down).toBeLessThan(1.1 * far.up);
    }
    expect(endsAt('turns', 10_000).down).toBeGreaterThan(1.3 * endsAt('turns', 10_000).up);
    expect(endsAt('turns', 10_000).up).toBeLessThan(1.6);
    // Even directly before the point the lower end keeps some turns.
    expect(countDown(recordOf(alike(90, 100)), 2_000, POINT, 'snapshot').turns?.low).toBeGreaterThan(2);
  });

  it('has a wider range in minutes than in turns over a long distance', () => {
    const { turns, minutes } = countDown(recordOf(alike(20, 2_000)), 150_000, POINT, 'snapshot');
    const factorOf = (range: typeof turns) => (range?.high ?? 0) / (range?.mid ?? 1);
    expect(factorOf(minutes)).toBeGreaterThan(1.2 * factorOf(turns));
  });

  it('has no forecast if the upper end is more than five times the median', () => {
    const record = recordOf([5, -4_000, 6_000]);
    expect(countDown(record, 2_000, POINT, 'cumulative').certainty).toBe('early');
    expect(countDown(record, 20_000, POINT, 'cumulative').certainty).toBe('rough');
    expect(countDown(recordOf([100, 40_000, 100]), 2_000, POINT, 'snapshot').certainty).toBe('rough');
  });

  it('moves the minutes towards the mean slope of the context, and needs none for a stored record', () => {
    const record = recordOf([...alike(10, 9_000), ...alike(60, 500)]);
    const { elapsed, ...stored } = record;
    const [slope, plain] = [record, stored].map((one) => countDown(one, 50_000, POINT, 'snapshot'));
    expect(slope?.turns).toEqual(plain?.turns);
    expect(elapsed).toEqual([70, 120_000]);
    // The slope predicts about 29 minutes.
    expect(slope?.minutes?.mid).toBeLessThan(0.9 * (plain?.minutes?.mid ?? 0));
    expect(slope?.minutes?.mid).toBeGreaterThan(29);
  });

  it('has finite minutes for a context that is smaller than at its start and grows again', () => {
    const { minutes } = countDown(recordOf([-90_000, ...alike(30, 2_000)]), 50_000, POINT, 'snapshot');
    expect(minutes?.mid).toBeGreaterThan(20);
    expect(minutes?.mid).toBeLessThan(60);
  });

  it('has no minutes if all turns have the same time', () => {
    const { turns, minutes } = countDown(recordOf(alike(9, 2_000), 0), 90_000, POINT, 'snapshot');
    expect(turns).not.toBeNull();
    expect(minutes).toBeNull();
  });

  it('never returns a range that is out of order, below one turn, or not finite', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.double({ min: 0, max: 1e5, noNaN: true }), fc.integer({ min: -1e6, max: 1e9 })),
          { minLength: 3, maxLength: 60 },
        ),
        fc.integer({ min: 1, max: 2 ** 50 }),
        fc.constantFrom('snapshot' as const, 'cumulative' as const),
        (steps, left, lens) => {
          const record = emptyGrowthRecord();
          for (const [minutes, tokens] of steps) recordTurn(record, minutes, tokens);
          const { turns, minutes, certainty } = countDown(record, left, left + 1_000, lens);
          expect(turns === null).toBe(certainty === 'early' || certainty === 'still');
          for (const range of [turns, minutes]) {
            if (range === null) continue;
            expect(range.low).toBeLessThanOrEqual(range.mid);
            expect(range.mid).toBeLessThanOrEqual(range.high);
            expect(range.low).toBeGreaterThanOrEqual(0);
            expect(Number.isFinite(range.high)).toBe(true);
          }
          if (turns === null) return;
          expect(turns.low).toBeGreaterThanOrEqual(1);
          expect(turns.high).toBeLessThanOrEqual(5 * turns.mid);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('changes by a bounded factor from turn to turn, after waits and growth of any order', () => {
    const step = fc.tuple(
      fc.double({ min: 0.02, max: 600, noNaN: true }),
      // After several calls of about 50 tokens, which agents do not make, one of 20 000 changes the forecast 17-fold.
      fc.integer({ min: 200, max: 20_000 }),
    );
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 4, maxLength: 80 }),
        fc.integer({ min: 100_000, max: 900_000 }),
        (steps, room) => {
          const record = emptyGrowthRecord();
          let left = room + steps.reduce((sum, [, tokens]) => sum + tokens, 0);
          let before: ReturnType<typeof countDown> | null = null;
          for (const [minutes, tokens] of steps) {
            recordTurn(record, minutes, tokens);
            left -= tokens;
            const after = countDown(record, left, 1_000_000, 'snapshot');
            if (before?.turns && after.turns && before.minutes && after.minutes) {
              for (const end of ['low', 'mid', 'high'] as const) {
                expect(Math.abs(Math.log(after.turns[end] / before.turns[end]))).toBeLessThan(Math.log(6));
                expect(Math.abs(Math.log(after.minutes[end] / before.minutes[end]))).toBeLessThan(
                  Math.log(10),
                );
              }
            }
            before = after;
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('has a median error below 35 % on simulated agents, and its range is right in over 70 %', () => {
    const errors: number[] = [];
    let within = 0;
    const contexts = 300;
    for (let seed = 1; seed <= contexts; seed += 1) {
      const random = createRandom(seed);
      const used = [firstOccupancy(random)];
      // Half of the demo's growth is the mean growth of real contexts.
      while ((used.at(-1) ?? 0) < POINT) used.push((used.at(-1) ?? 0) + growthOfCall(random) / 2);
      const half = Math.floor(used.length / 2);
      const record = emptyGrowthRecord();
      for (let i = 1; i < half; i += 1) recordTurn(record, 1, (used[i] ?? 0) - (used[i - 1] ?? 0));
      const left = POINT - (used[half - 1] ?? 0);
      const real = used.length - half;
      const { turns } = countDown(record, left, POINT, 'snapshot');
      expect(turns).not.toBeNull();
      errors.push(Math.abs((turns?.mid ?? 0) - real) / real);
      if ((turns?.low ?? 0) <= real && real <= (turns?.high ?? 0)) within += 1;
    }
    expect(errors.toSorted((a, b) => a - b)[contexts / 2]).toBeLessThan(0.35);
    expect(within / contexts).toBeGreaterThan(0.7);
  });
});
