/**
 * Folds again, in slices, what was too long for the transaction of a late item (db/ingest/recompute.ts). It
 * owns the look for such sessions, and trades promptness for calm: a slice at a time, so that commits of new
 * items come between. Every process that takes items in has one; the database shares the sessions out.
 */
import type { Logger } from 'pino';
import type { TouchedSession } from '../../db/ingest/types';
import { judgeFault } from '../../db/judge-fault';

export interface RecomputeWorkerOptions {
  /** Folds one slice of one waiting session; null: none waits. */
  continueOne(): Promise<TouchedSession | null>;
  /** Called after each slice with the session it changed. */
  onCommitted(touched: readonly TouchedSession[]): void;
  log: Logger;
  /** Time between two looks while nothing waits. Default 1 000. */
  intervalMs?: number;
}

export interface RecomputeWorker {
  /** Begins no further slice; resolves when the one at work is through. */
  close(): Promise<void>;
}

const INTERVAL_MS = 1_000;

export function startRecomputeWorker(options: RecomputeWorkerOptions): RecomputeWorker {
  const { continueOne, onCommitted, log, intervalMs = INTERVAL_MS } = options;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();

  async function work(): Promise<void> {
    try {
      while (!isClosed) {
        const touched = await continueOne();
        if (touched === null) break;
        onCommitted([touched]);
      }
    } catch (error) {
      // Nothing is lost: the session still waits, and the next look finds it.
      const { code } = error as { code?: unknown };
      log.warn({ fault: judgeFault(error), code }, 'a session could not be folded again; trying later');
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
