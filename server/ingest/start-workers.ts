/**
 * Background work behind the ingest: folds long sessions again, rolls history up, applies the retention of turns. Work
 * waits in the database, so every ingest process runs these workers and the database shares it out.
 */
import type { Logger } from 'pino';
import type postgres from 'postgres';
import { rollUpHistory } from '../../db/history/roll-up';
import { continueRecomputing } from '../../db/ingest/refold';
import type { TouchedSession } from '../../db/ingest/types';
import { retireSessions } from '../../db/retention';
import { type Rounds, startRounds } from '../start-rounds';

interface WorkerOptions {
  sql: postgres.Sql;
  onCommitted(touched: readonly TouchedSession[]): void;
  log: Logger;
}

export function startWorkers({ sql, onCommitted, log }: WorkerOptions): Pick<Rounds, 'close'> {
  const recomputing = startRounds({
    async work() {
      const touched = await continueRecomputing(sql);
      if (touched) onCommitted([touched]);
      return touched !== null;
    },
    failure: 'a session could not be folded again',
    log,
    intervalMs: 1_000,
  });
  const history = startRounds({
    work: async () => (await rollUpHistory(sql)).isMore,
    failure: 'history could not be rolled up',
    log,
    intervalMs: 2_000,
  });
  const retention = startRounds({
    async work(isClosed) {
      for await (const touched of retireSessions(sql, Date.now())) {
        onCommitted(touched);
        if (isClosed()) return;
      }
    },
    failure: 'the retention of turns could not be applied',
    log,
    intervalMs: 60_000,
  });
  return {
    async close() {
      await Promise.all([recomputing.close(), history.close(), retention.close()]);
    },
  };
}
