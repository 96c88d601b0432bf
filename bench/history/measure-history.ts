/** Queries of the history page: a year, a day in short slots, and the sessions with boundaries. */
import type postgres from 'postgres';
import { listHistorySessions } from '../../db/queries/history/list-history-sessions';
import { loadHistory } from '../../db/queries/history/load-history';
import { median } from '../lib/median';

export interface HistoryTimes {
  yearMs: number;
  dayMs: number;
  sessionsMs: number;
}

const DAY_MS = 86_400_000;
const WARM_UP_READS = 3;

/** Medians of `reads` reads of each. */
export async function measureHistory(sql: postgres.Sql, to: number, reads: number): Promise<HistoryTimes> {
  const year = { from: to - 365 * DAY_MS, to };
  const zone = 'Europe/Berlin';
  return {
    yearMs: await medianMs(reads, async () => {
      const { points, groups } = await loadHistory(sql, { ...year, by: 'runner', groups: 40, zone }, to);
      if (points.length < 200 || groups.length < 2) throw new Error('the year is empty');
    }),
    dayMs: await medianMs(reads, async () => {
      // The last day may have had no session.
      const { points } = await loadHistory(
        sql,
        { from: to - 2 * DAY_MS, to: to - DAY_MS, bucket: '5m', by: 'model', zone },
        to,
      );
      if (points.length === 0) throw new Error('the day is empty');
    }),
    sessionsMs: await medianMs(reads, async () => {
      const { sessions } = await listHistorySessions(sql, year, to);
      if (sessions.length === 0) throw new Error('no session was compacted');
    }),
  };
}

async function medianMs(reads: number, read: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < WARM_UP_READS + reads; i += 1) {
    const startedAt = performance.now();
    await read();
    if (i >= WARM_UP_READS) times.push(performance.now() - startedAt);
  }
  return median(times);
}
