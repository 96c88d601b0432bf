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
/** Longest time of a tick on average. */
const MAX_TICK_MS = 175;

export interface ProbeOptions {
  /** Without an answer, the probe is false after this many ticks of 100 ms. */
  ticks?: number;
  /** Milliseconds of a clock that never jumps. */
  now?: () => number;
  wait?: (ms: number) => Promise<unknown>;
}

/** @param sql a client with one connection, for this probe alone */
export function createDatabaseProbe(
  sql: postgres.Sql,
  {
    ticks = TICKS,
    now = () => performance.now(),
    wait = (ms) => pause(ms, undefined, { ref: false }),
  }: ProbeOptions = {},
): DatabaseProbe {
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

  /**
   * Counts ticks instead of time: on an overloaded machine the ticks are late too, so that a slow answer is not taken for
   * a frozen database.
   */
  async function outwait(): Promise<false> {
    const until = now() + ticks * MAX_TICK_MS;
    for (let tick = 0; tick < ticks && now() < until; tick += 1) await wait(TICK_MS);
    return false;
  }

  return {
    answers() {
      return Promise.race([ask(), outwait()]);
    },
  };
}
