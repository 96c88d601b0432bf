import type postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { createDatabaseProbe } from './database-probe';

/**
 * A probe on a clock of the test, with a database that answers each statement after this time.
 * @param lateMs by which each tick is late
 */
function probeOf(answersAfterMs: number, lateMs = 0) {
  const clock = { ms: 0 };
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const probe = createDatabaseProbe((() => answered) as unknown as postgres.Sql, {
    now: () => clock.ms,
    async wait(ms) {
      clock.ms += ms + lateMs;
      if (clock.ms >= answersAfterMs) answer();
      // The answer is handled before the next tick.
      await new Promise(setImmediate);
    },
  });
  return { probe, clock };
}

describe('The probe of the database', () => {
  test('is false after two seconds without an answer', async () => {
    const { probe, clock } = probeOf(Number.POSITIVE_INFINITY);
    expect(await probe.answers()).toBe(false);
    expect(clock.ms).toBe(2_000);
  });

  test('is true for an answer within two seconds', async () => {
    expect(await probeOf(1_900).probe.answers()).toBe(true);
  });

  test('is false at once when the statement fails', async () => {
    const refused = (() => Promise.reject(new Error('refused'))) as unknown as postgres.Sql;
    const probe = createDatabaseProbe(refused, { wait: () => new Promise(() => undefined) });
    expect(await probe.answers()).toBe(false);
  });

  test('does not take a busy machine for a frozen database, and waits no longer than 3.5 seconds there', async () => {
    expect(await probeOf(3_000, 200).probe.answers()).toBe(true);
    const { probe, clock } = probeOf(Number.POSITIVE_INFINITY, 200);
    expect(await probe.answers()).toBe(false);
    expect(clock.ms).toBe(3_600);
  });
});
