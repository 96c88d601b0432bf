import { describe, expect, test } from 'vitest';
import { fc } from '../testing/property-runs';
import { type AlertState, type AlertStep, stepAlert, stepEventAlert } from './alert-machine';

const rule = (more: Partial<Parameters<typeof stepAlert>[0]> = {}) => ({
  forSeconds: 0,
  resolveSeconds: 0,
  repeatMinutes: null,
  ...more,
});

interface Observation {
  at: number;
  holds: boolean | null;
}

/** Run observations, and the steps that time alone causes in between. `extra`: further steps without a new value. */
function run(
  timing: ReturnType<typeof rule>,
  observations: readonly Observation[],
  extra: readonly number[] = [],
) {
  const changes: [NonNullable<AlertStep['change']>, number][] = [];
  let state: AlertState | null = null;
  let dueAt: number | null = null;
  const step = (holds: boolean | null, now: number) => {
    const result = stepAlert(timing, state, holds, now);
    if (result.dueAt !== null) expect(result.dueAt).toBeGreaterThan(now);
    if (result.change !== null) changes.push([result.change, now]);
    ({ state, dueAt } = result);
  };
  const all = [...observations, ...extra.map((at) => ({ at, holds: null }))].sort((a, b) => a.at - b.at);
  for (const { at, holds } of all) {
    while (dueAt !== null && dueAt < at) step(null, dueAt);
    step(holds, at);
  }
  return { changes, state: state as AlertState | null };
}

describe('an alert', () => {
  test('fires after its condition held for the time of `for`', () => {
    const { changes } = run(rule({ forSeconds: 10 }), [
      { at: 0, holds: true },
      { at: 30_000, holds: true },
    ]);
    expect(changes).toEqual([['fired', 10_000]]);
  });

  test('does not fire if the condition ends before', () => {
    const { changes, state } = run(rule({ forSeconds: 10 }), [
      { at: 0, holds: true },
      { at: 5_000, holds: false },
      { at: 6_000, holds: true },
      { at: 15_000, holds: false },
    ]);
    expect({ changes, state }).toEqual({ changes: [], state: null });
  });

  test('resolves after the condition was over for `resolveSeconds`', () => {
    const { changes } = run(rule({ resolveSeconds: 60 }), [
      { at: 0, holds: true },
      { at: 1_000, holds: false },
      { at: 30_000, holds: true },
      { at: 40_000, holds: false },
      { at: 200_000, holds: false },
    ]);
    expect(changes).toEqual([
      ['fired', 0],
      ['resolved', 100_000],
    ]);
  });

  test('repeats until it is acknowledged', () => {
    const timing = rule({ repeatMinutes: 1 });
    const { changes, state } = run(timing, [
      { at: 0, holds: true },
      { at: 130_000, holds: true },
    ]);
    expect(changes).toEqual([
      ['fired', 0],
      ['repeated', 60_000],
      ['repeated', 120_000],
    ]);
    const acknowledged = state && { ...state, isAcknowledged: true };
    expect(stepAlert(timing, acknowledged, true, 900_000)).toMatchObject({ change: null, dueAt: null });
  });

  test('keeps its state while the condition is unknown', () => {
    const { changes } = run(rule(), [
      { at: 0, holds: null },
      { at: 1, holds: true },
      { at: 2, holds: null },
      { at: 3, holds: false },
      { at: 4, holds: null },
    ]);
    expect(changes).toEqual([
      ['fired', 1],
      ['resolved', 3],
    ]);
  });

  test('of an event fires at once and resolves after `resolveSeconds`', () => {
    const timing = rule({ resolveSeconds: 60, repeatMinutes: 10 });
    const first = stepEventAlert(timing, null, 5_000);
    expect(first).toMatchObject({ change: 'fired', dueAt: 65_000 });
    expect(stepEventAlert(timing, first.state, 64_999)).toMatchObject({ change: null, dueAt: 65_000 });
    expect(stepEventAlert(timing, first.state, 65_000)).toEqual({
      state: null,
      change: 'resolved',
      dueAt: null,
    });
  });
});

describe('for any observations', () => {
  const timings = fc.record({
    forSeconds: fc.nat(20),
    resolveSeconds: fc.nat(20),
    repeatMinutes: fc.option(fc.integer({ min: 1, max: 3 })),
  });
  const observations = fc
    .array(
      fc.record({ gap: fc.integer({ min: 1, max: 60_000 }), holds: fc.constantFrom(true, false, null) }),
      {
        maxLength: 30,
      },
    )
    .map((list) => {
      let at = 0;
      return list.map(({ gap, holds }) => {
        at += gap;
        return { at, holds };
      });
    });

  test('an alert fires, repeats and resolves in this order', () => {
    fc.assert(
      fc.property(timings, observations, (timing, list) => {
        let isFiring = false;
        for (const [change] of run(timing, list).changes) {
          expect(change === 'fired').toBe(!isFiring);
          isFiring = change !== 'resolved';
        }
      }),
    );
  });

  test('an alert fires only after the condition held for the whole time of `for`', () => {
    fc.assert(
      fc.property(timings, observations, (timing, list) => {
        for (const [change, at] of run(timing, list).changes) {
          if (change !== 'fired') continue;
          const before = list.filter((observation) => observation.at <= at);
          const since = before.findLastIndex(({ holds }) => holds === false);
          const held = before.slice(since + 1).find(({ holds }) => holds === true);
          expect(at - (held?.at ?? Number.POSITIVE_INFINITY)).toBeGreaterThanOrEqual(
            timing.forSeconds * 1_000,
          );
        }
      }),
    );
  });

  test('further steps without a new value change nothing', () => {
    fc.assert(
      fc.property(timings, observations, fc.array(fc.nat(600_000)), (timing, list, extra) => {
        const end = list.at(-1)?.at ?? 0;
        const within = extra.filter((at) => at < end && !list.some((observation) => observation.at === at));
        const plain = run(timing, list).changes;
        expect(run(timing, list, within).changes).toEqual(plain);
      }),
    );
  });
});
