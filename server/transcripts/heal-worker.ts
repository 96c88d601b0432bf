/**
 * Heals damaged archives (db/transcripts/heal-damaged.ts). It owns the rhythm: a look a minute, and one at once when an
 * upload ended, since that may have brought what was missing. At most one look is under way and one waits.
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
  /** Stops a reading that is under way. */
  signal: AbortSignal;
  /** Time between two looks. Default 60 000. */
  intervalMs?: number;
}

export interface HealWorker {
  /** Something came in. */
  wake(): void;
  close(): Promise<void>;
}

const INTERVAL_MS = 60_000;

export function startHealWorker(options: HealWorkerOptions): HealWorker {
  const { sql, store, log, signal, intervalMs = INTERVAL_MS } = options;
  const failure = 'damaged transcripts could not be looked at';
  let last: Promise<void> = Promise.resolve();
  let waits = false;

  async function look(): Promise<void> {
    waits = false;
    if (signal.aborted) return;
    const healed = await healDamaged(sql, store, { signal });
    if (healed > 0) log.info({ healed }, 'damaged transcripts are whole again');
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
