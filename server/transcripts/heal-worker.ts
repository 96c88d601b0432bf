/**
 * Restores damaged archives (db/transcripts/heal-damaged.ts) every minute and after each upload, which may have brought
 * the missing chunks. One run at a time, and at most one queued.
 */
import type { Logger } from 'pino';
import type postgres from 'postgres';
import { judgeFault } from '../../db/judge-fault';
import { healDamaged } from '../../db/transcripts/heal-damaged';
import type { TranscriptStore } from '../../db/transcripts/transcript-store';
import { startRounds } from '../start-rounds';

export interface HealWorkerOptions {
  sql: postgres.Sql;
  store: TranscriptStore;
  log: Logger;
  /** Aborts a running verification. */
  signal: AbortSignal;
  /** Time between two runs. Default 60 000. */
  intervalMs?: number;
}

export interface HealWorker {
  /** Run soon: chunks arrived. */
  wake(): void;
  close(): Promise<void>;
}

const INTERVAL_MS = 60_000;

export function startHealWorker(options: HealWorkerOptions): HealWorker {
  const { sql, store, log, signal, intervalMs = INTERVAL_MS } = options;
  const failure = 'damaged transcripts could not be checked';
  let last: Promise<void> = Promise.resolve();
  let waits = false;

  async function look(): Promise<void> {
    waits = false;
    if (signal.aborted) return;
    const healed = await healDamaged(sql, store, { signal });
    if (healed > 0) log.info({ healed }, 'damaged transcripts were restored');
  }

  function queue(): Promise<void> {
    waits = true;
    const run = last.then(look);
    last = run.catch(() => undefined);
    return run;
  }

  const rounds = startRounds({ work: queue, failure, log, intervalMs });
  return {
    wake() {
      if (waits || signal.aborted) return;
      queue().catch((error: unknown) => {
        if (!signal.aborted) log.warn({ fault: judgeFault(error) }, `${failure}; trying later`);
      });
    },
    async close() {
      await rounds.close();
      await last;
    },
  };
}
