/**
 * Folds again, in slices, what was too long for the transaction of a late item (db/ingest/recompute.ts). It
 * owns the look for such sessions, and trades promptness for calm: a slice at a time, so that commits of new
 * items come between. Every process that takes items in has one; the database shares the sessions out.
 */
import type { Logger } from 'pino';
import type { TouchedSession } from '../../db/ingest/types';
import { type Rounds, startRounds } from '../start-rounds';

export interface RecomputeWorkerOptions {
  /** Folds one slice of one waiting session; null: none waits. */
  continueOne(): Promise<TouchedSession | null>;
  /** Called after each slice with the session it changed. */
  onCommitted(touched: readonly TouchedSession[]): void;
  log: Logger;
  /** Time between two looks while nothing waits. Default 1 000. */
  intervalMs?: number;
}

const INTERVAL_MS = 1_000;

export function startRecomputeWorker(options: RecomputeWorkerOptions): Rounds {
  const { continueOne, onCommitted, log, intervalMs = INTERVAL_MS } = options;
  return startRounds({
    async work(isClosed) {
      while (!isClosed()) {
        const touched = await continueOne();
        if (touched === null) return;
        onCommitted([touched]);
      }
    },
    failure: 'a session could not be folded again',
    log,
    intervalMs,
  });
}
