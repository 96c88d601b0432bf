/**
 * Background work of an ingest process: recomputes long sessions, rolls up history, and applies the retention of turns.
 * The queue is in the database, so processes share the work.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { rollUpHistory } from '../../db/history/roll-up';
import { settleCopies } from '../../db/ingest/record-batch';
import { continueRecomputing } from '../../db/ingest/refold';
import { retireSessions } from '../../db/retention';
import type { ServerContext } from '../http/endpoint';
import { startRounds } from '../start-rounds';

/** A session with a younger item waits, but not in every tenth slice: its items may never pause. */
const QUIET_MS = 1_000;
const SLICES_PER_BUSY = 10;

export function startWorkers({ sql, log }: Pick<ServerContext, 'sql' | 'log'>) {
  let slices = 0;
  const recomputing = startRounds({
    task: 'recompute',
    async work() {
      const startedAt = performance.now();
      slices += 1;
      const session = await continueRecomputing(
        sql,
        slices % SLICES_PER_BUSY === 0 ? null : Date.now() - QUIET_MS,
      );
      if (!session) return false;
      // If the transaction that received a link did not fold the session, this recomputation stores the link.
      await settleCopies(sql, { ids: [session.id], keys: null });
      // Late items of one client must not keep the process busy.
      await pause(performance.now() - startedAt);
      return true;
    },
    failure: 'a session could not be recomputed',
    log,
    intervalMs: 1_000,
  });
  const history = startRounds({
    task: 'history',
    work: async () => (await rollUpHistory(sql)).isMore,
    failure: 'history could not be rolled up',
    log,
    intervalMs: 2_000,
    // A round counts each touched session from the start of its bucket, so fewer rounds under load cost less.
    restFactor: 9,
  });
  const retention = startRounds({
    task: 'retention',
    async work(isClosed) {
      for await (const _ of retireSessions(sql, Date.now())) if (isClosed()) return;
    },
    failure: 'the retention of turns could not be applied',
    log,
    intervalMs: 60_000,
  });
  return { close: () => Promise.all([recomputing.close(), history.close(), retention.close()]) };
}
