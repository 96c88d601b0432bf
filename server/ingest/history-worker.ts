/**
 * Brings history up to date behind the ingest (db/history/roll-up.ts). It owns the rhythm: a look every two
 * seconds, one after the other while more waits than one look takes. What was committed while no server ran, and
 * what a data folder held before it had history, waits in the table and is found by the first look. Every process
 * that takes items in has one; the database lets one of them work at a time.
 */
import type { Logger } from 'pino';
import type { RolledUp } from '../../db/history/roll-up';
import { judgeFault } from '../../db/judge-fault';

export interface HistoryWorkerOptions {
  /** Takes a part of what waits. */
  rollUp(): Promise<RolledUp>;
  log: Logger;
  /** Time between two looks. Default 2 000. */
  intervalMs?: number;
}

export interface HistoryWorker {
  /** Begins no further look; resolves when the one at work is through. */
  close(): Promise<void>;
}

const INTERVAL_MS = 2_000;

export function startHistoryWorker({
  rollUp,
  log,
  intervalMs = INTERVAL_MS,
}: HistoryWorkerOptions): HistoryWorker {
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();

  async function work(): Promise<void> {
    try {
      let isMore = true;
      while (isMore && !isClosed) isMore = (await rollUp()).isMore;
    } catch (error) {
      // Nothing is lost: the changes still wait, and the next look finds them.
      const { code } = error as { code?: unknown };
      log.warn({ fault: judgeFault(error), code }, 'history could not be brought up to date; trying later');
    }
    if (!isClosed) schedule();
  }

  function schedule(): void {
    timer = setTimeout(() => {
      round = work();
    }, intervalMs);
    timer.unref();
  }

  round = work();
  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await round;
    },
  };
}
