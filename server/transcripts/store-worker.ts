/**
 * Applies the retention of projects every minute, and restores damaged archives whose missing chunks arrived again. Every
 * intake process runs one; locks make sure that each transcript is deleted once.
 */
import type { Logger } from 'pino';
import type postgres from 'postgres';
import { applyRetention } from '../../db/transcripts/apply-retention';
import { healDamaged } from '../../db/transcripts/complete-archive';
import { describeError } from '../http/create-http-server';
import { type Rounds, startRounds } from '../start-rounds';

export interface StoreWorkerOptions {
  sql: postgres.Sql;
  log: Logger;
  /** Aborts a running verification. */
  signal: AbortSignal;
}

const INTERVAL_MS = 60_000;

export function startStoreWorker({ sql, log, signal }: StoreWorkerOptions): Rounds {
  return startRounds({
    async work(isClosed) {
      const onFailure = (error: unknown, transcript: string): void => {
        const fields = { err: describeError(error), transcript };
        log.warn(fields, 'retention could not delete a transcript; trying later');
      };
      for await (const { transcript, reason } of applyRetention(sql, onFailure)) {
        log.info({ transcript, reason }, 'a transcript was deleted by retention');
        if (isClosed()) return;
      }
      const healed = await healDamaged(sql, signal);
      if (healed > 0) log.info({ healed }, 'damaged transcripts were restored');
    },
    failure: 'transcripts could not be cleaned up',
    log,
    intervalMs: INTERVAL_MS,
  });
}
