/**
 * Applies what projects say of how long transcripts are kept (db/transcripts/apply-retention.ts). It owns the rhythm:
 * a look a minute. Every process that takes transcripts in has one; what two of them find is deleted once.
 */

import type { Logger } from 'pino';
import type postgres from 'postgres';
import type { TouchedSession } from '../../db/ingest/types';
import { judgeFault } from '../../db/judge-fault';
import { applyRetention } from '../../db/transcripts/apply-retention';
import type { TranscriptStore } from '../../db/transcripts/transcript-store';

export interface RetentionWorkerOptions {
  sql: postgres.Sql;
  store: TranscriptStore;
  /** Called after each deletion with the session whose page shows it. */
  onCommitted(touched: TouchedSession): void;
  log: Logger;
  /** Time between two looks. Default 60 000. */
  intervalMs?: number;
}

export interface RetentionWorker {
  /** Begins no further deletion; resolves when the one at work is through. */
  close(): Promise<void>;
}

const INTERVAL_MS = 60_000;

export function startRetentionWorker(options: RetentionWorkerOptions): RetentionWorker {
  const { sql, store, onCommitted, log, intervalMs = INTERVAL_MS } = options;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();

  async function work(): Promise<void> {
    try {
      for await (const { transcript, reason, touched } of applyRetention(sql, store)) {
        log.info({ transcript, reason }, 'a transcript was deleted by retention');
        if (touched) onCommitted(touched);
        if (isClosed) return;
      }
    } catch (error) {
      // Nothing is lost: what is due is due at the next look too.
      const { code } = error as { code?: unknown };
      log.warn({ fault: judgeFault(error), code }, 'retention could not be applied; trying later');
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
