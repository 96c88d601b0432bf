import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { createDatabaseProbe } from './database-probe';

/** A database that answers each statement with this promise. */
const probeOf = (answer: Promise<unknown>) => createDatabaseProbe((() => answer) as unknown as postgres.Sql);

describe('The probe of the database', () => {
  test('is false after two seconds without an answer', async () => {
    const from = performance.now();
    expect(await probeOf(new Promise(() => undefined)).answers()).toBe(false);
    expect(performance.now() - from).toBeGreaterThan(1_900);
  });

  test('is false at once when the statement fails', async () => {
    expect(await probeOf(Promise.reject(new Error('refused'))).answers()).toBe(false);
  });

  test('does not take a busy machine for a frozen database', async () => {
    const starving = setInterval(() => {
      const until = performance.now() + 300;
      while (performance.now() < until);
    }, 1);
    const answer = pause(3_000);
    expect(await probeOf(answer).answers()).toBe(true);
    clearInterval(starving);
  });
});
