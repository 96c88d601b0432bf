/**
 * Applies the retention of projects (db/transcripts/apply-retention.ts) every minute. Every intake process runs one;
 * locks make sure that each transcript is deleted once.
 */

import type { Logger } from 'pino';
import type postgres from 'postgres';
import type { TouchedSession } from '../../db/ingest/types';
import { applyRetention } from '../../db/transcripts/apply-retention';
import type { TranscriptStore } from '../../db/transcripts/transcript-store';
import { describeError } from '../http/create-http-server';
import { type Rounds, startRounds } from '../start-rounds';

export interface RetentionWorkerOptions {
  sql: postgres.Sql;
  store: TranscriptStore;
  /** Called after each deletion with the affected session. */
  onCommitted(touched: TouchedSession): void;
  log: Logger;
  /** Time between two runs. Default 60 000. */
  intervalMs?: number;
}

const INTERVAL_MS = 60_000;

export function startRetentionWorker(options: RetentionWorkerOptions): Rounds {
  const { sql, store, onCommitted, log, intervalMs = INTERVAL_MS } = options;
  return startRounds({
    async work(isClosed) {
      const onFailure = (error: unknown, transcript: string): void => {
        log.warn(
          { err: describeError(error), transcript },
          'retention could not delete a transcript; trying later',
        );
      };
      for await (const { transcript, reason, touched } of applyRetention(sql, store, { onFailure })) {
        log.info({ transcript, reason }, 'a transcript was deleted by retention');
        if (touched) onCommitted(touched);
        if (isClosed()) return;
      }
    },
    failure: 'retention could not be applied',
    log,
    intervalMs,
  });
}
