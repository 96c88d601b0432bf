/**
 * Whether PostgreSQL answers. A frozen PostgreSQL keeps its connections open and answers nothing, so no query
 * fails. Owns one connection, because a query that waits for a place in a busy pool proves nothing.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';

export interface DatabaseProbe {
  /** False after two seconds without an answer; up to 3.5 s on a machine that is too busy to run this process. */
  answers(): Promise<boolean>;
}

const TICKS = 20;
const TICK_MS = 100;
const MAX_MS = 3_500;

/** @param sql a client with one connection, for this probe alone */
export function createDatabaseProbe(sql: postgres.Sql): DatabaseProbe {
  /** One query for all callers: while the database is frozen, no others queue up behind it. */
  let asked: Promise<boolean> | null = null;

  function ask(): Promise<boolean> {
    asked ??= sql`select 1`
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        asked = null;
      });
    return asked;
  }

  return {
    answers() {
      return Promise.race([ask(), outwait()]);
    },
  };
}

/**
 * Counts ticks instead of time: on an overloaded machine the ticks are late too, so that a slow answer is not taken for a
 * frozen database.
 */
async function outwait(): Promise<false> {
  const until = performance.now() + MAX_MS;
  for (let tick = 0; tick < TICKS && performance.now() < until; tick += 1)
    await pause(TICK_MS, undefined, { ref: false });
  return false;
}
