/**
 * Brings history up to date behind the ingest (db/history/roll-up.ts). It owns the rhythm: a look every two
 * seconds, one after the other while more waits than one look takes. What was committed while no server ran, and
 * what a data folder held before it had history, waits in the table and is found by the first look. Every process
 * that takes items in has one; the database lets one of them work at a time.
 */
import type { Logger } from 'pino';
import type { RolledUp } from '../../db/history/roll-up';
import { type Rounds, startRounds } from '../start-rounds';

export interface HistoryWorkerOptions {
  /** Takes a part of what waits. */
  rollUp(): Promise<RolledUp>;
  log: Logger;
  /** Time between two looks. Default 2 000. */
  intervalMs?: number;
}

const INTERVAL_MS = 2_000;

export function startHistoryWorker({ rollUp, log, intervalMs = INTERVAL_MS }: HistoryWorkerOptions): Rounds {
  return startRounds({
    async work(isClosed) {
      let isMore = true;
      while (isMore && !isClosed()) isMore = (await rollUp()).isMore;
    },
    failure: 'history could not be brought up to date',
    log,
    intervalMs,
  });
}
