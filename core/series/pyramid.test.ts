import { describe, expect, it } from 'vitest';
import { testPoint } from '../live/testing-rows';
import { fc } from '../testing/property-runs';
import {
  addTurn,
  type Bucket,
  bucketOf,
  bucketTurns,
  type Edge,
  PYRAMID_LEVELS,
  type PyramidTurn,
} from './pyramid';

const value = fc.option(fc.nat(1_000_000), { nil: null });
const chain = fc.array(
  fc.record({ cumulative: value, snapshot: value, input: fc.nat(5_000), call: fc.boolean() }),
  { minLength: 1, maxLength: 700 },
);

function turnsOf(
  rows: { cumulative: number | null; snapshot: number | null; input: number; call: boolean }[],
) {
  let n = 0;
  return rows.map((row, index): PyramidTurn => {
    if (row.call) n += 1;
    return {
      cumulative: row.cumulative,
      snapshot: row.snapshot,
      point: testPoint(n, {
        t: 1_000 + index,
        context: Math.floor(index / 100),
        turns: row.call ? 1 : 0,
        input: row.call ? row.input : 0,
      }),
    };
  });
}

function build(turns: PyramidTurn[]): Bucket[] {
  const edge: Edge = [];
  return [...turns.flatMap((turn) => addTurn(edge, turn)), ...edge];
}

const known = (values: (number | null)[]) => values.filter((each) => each !== null);

describe('the pyramid of a chain', () => {
  it('has the sums of its turns in each bucket', () => {
    fc.assert(
      fc.property(chain, (rows) => {
        const turns = turnsOf(rows);
        for (const bucket of build(turns)) {
          const inside = turns.filter((turn) => bucketOf(turn.point.n, bucket.level) === bucket.bucket);
          const snapshots = known(inside.map((turn) => turn.snapshot));
          const sums = known(inside.map((turn) => turn.cumulative));
          expect(bucket.snapshot).toEqual({
            min: snapshots.length > 0 ? Math.min(...snapshots) : null,
            max: snapshots.length > 0 ? Math.max(...snapshots) : null,
            last: inside.at(-1)?.snapshot,
          });
          expect(bucket.cumulative.max).toBe(sums.length > 0 ? Math.max(...sums) : null);
          expect(bucket.input).toBe(inside.reduce((sum, turn) => sum + turn.point.input, 0));
          expect(bucket.turns).toBe(inside.filter((turn) => turn.point.turns === 1).length);
          expect(bucket.firstTime).toBe(inside[0]?.point.t);
          expect(bucket.lastTime).toBe(inside.at(-1)?.point.t);
          expect(bucket.lastNumber).toBe(inside.at(-1)?.point.n);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('covers every turn once on every level', () => {
    fc.assert(
      fc.property(chain, (rows) => {
        const turns = turnsOf(rows);
        const calls = turns.filter((turn) => turn.point.turns === 1).length;
        const buckets = build(turns);
        for (let level = 0; level < PYRAMID_LEVELS; level += 1) {
          const ofLevel = buckets.filter((bucket) => bucket.level === level);
          expect(ofLevel.reduce((sum, bucket) => sum + bucket.turns, 0)).toBe(calls);
          expect(new Set(ofLevel.map((bucket) => bucket.bucket)).size).toBe(ofLevel.length);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('puts a reading into the bucket of the turn before it', () => {
    expect(bucketOf(16, 0)).toBe(0);
    expect(bucketOf(17, 0)).toBe(1);
    expect(bucketOf(0, 0)).toBe(0);
    expect(bucketTurns(2)).toBe(1_024);
  });
});
