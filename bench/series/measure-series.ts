/** The series query for a whole session of a million turns, compared with one of a thousand. */
import type postgres from 'postgres';
import type { SessionRef } from '../../db/queries/find-session';
import { loadSeries } from '../../db/queries/load-series';
import { median } from '../lib/median';

export interface SeriesTimes {
  longMs: number;
  shortMs: number;
}

const WARM_UP_READS = 20;

/** Medians of `reads` alternating reads of each. */
export async function measureSeries(
  sql: postgres.Sql,
  long: SessionRef,
  short: SessionRef,
  reads: number,
): Promise<SeriesTimes> {
  const times: { long: number[]; short: number[] } = { long: [], short: [] };
  for (let read = 0; read < WARM_UP_READS + reads; read += 1) {
    const longMs = await timeRead(sql, long);
    const shortMs = await timeRead(sql, short);
    if (read < WARM_UP_READS) continue;
    times.long.push(longMs);
    times.short.push(shortMs);
  }
  return { longMs: median(times.long), shortMs: median(times.short) };
}

async function timeRead(sql: postgres.Sql, session: SessionRef): Promise<number> {
  const startedAt = performance.now();
  const { points } = await loadSeries(sql, session, {});
  if (points.length < 100) throw new Error('the series is empty');
  return performance.now() - startedAt;
}
