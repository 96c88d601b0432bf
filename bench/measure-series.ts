/** The series query for a session of a million turns, compared with a session of a thousand. */
import type postgres from 'postgres';
import { median } from '../core/forecast/median';
import { sessionId } from '../core/identity/session-id';
import { findSession, type SessionRef } from '../db/queries/find-session';
import { loadSeries } from '../db/queries/load-series';
import { type BenchDatabase, openBenchStream, record } from './lib/bench-database';
import { type Figure, timed } from './lib/figures';
import { createTurnSource } from './lib/make-turns';

const PROJECT = 'bench-series';
const TURNS_PER_DELIVERY = 5_000;
const WARM_UP_READS = 20;

/** Compares the medians of `reads` alternating reads of both sessions. */
export async function measureSeries(
  { sql }: BenchDatabase,
  { longSession, reads }: { longSession: number; reads: number },
): Promise<Figure[]> {
  const short = await fillSession(sql, 'short', 1_000);
  const long = await fillSession(sql, 'long', longSession);
  await sql`analyze`;
  const read = (session: SessionRef) =>
    timed(async () => {
      const { points } = await loadSeries(sql, session, {});
      if (points.length < 100) throw new Error('the series is empty');
    });
  const times: { long: number; short: number }[] = [];
  for (let i = 0; i < WARM_UP_READS + reads; i += 1) {
    times.push({ long: await read(long), short: await read(short) });
  }
  times.splice(0, WARM_UP_READS);
  const longMs = median(times.map((each) => each.long));
  const shortMs = median(times.map((each) => each.short));
  return [
    {
      name: `Time of a series of ${longSession} turns, divided by that of 1000 turns`,
      value: longMs / shortMs,
      unit: '×',
      most: 2,
    },
    { name: 'Long series', value: longMs, unit: 'ms' },
    { name: 'Short series', value: shortMs, unit: 'ms' },
  ];
}

export async function fillSession(sql: postgres.Sql, key: string, turns: number): Promise<SessionRef> {
  const stream = await openBenchStream(sql, PROJECT, 'bench');
  const source = createTurnSource(key, 7, Date.now() - turns * 3_000 - 60_000);
  for (let stored = 0; stored < turns; stored += TURNS_PER_DELIVERY) {
    await record(sql, [{ stream, items: source.next(Math.min(TURNS_PER_DELIVERY, turns - stored)) }]);
    if (stored > 0 && stored % 100_000 === 0) process.stderr.write(`  ${stored} of ${turns} turns stored\n`);
  }
  const session = await findSession(sql, sessionId(PROJECT, key));
  if (!session) throw new Error(`the session ${key} is not there`);
  return session;
}
