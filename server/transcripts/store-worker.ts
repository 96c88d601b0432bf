/**
 * Applies the retention of projects every minute, removes unreferenced objects of an archive store, and restores damaged
 * archives after their missing chunks were uploaded again. Every ingest process runs a worker; locks make sure that each
 * transcript is deleted once.
 */
import { applyRetention } from '../../db/transcripts/apply-retention';
import { removeUnreferenced } from '../../db/transcripts/chunk-objects';
import { healDamaged } from '../../db/transcripts/complete-archive';
import { describeError } from '../http/create-http-server';
import type { ServerContext } from '../http/endpoint';
import { startRounds } from '../start-rounds';

const INTERVAL_MS = 60_000;

/** @param signal aborts a running verification */
export function startStoreWorker({ sql, log }: Pick<ServerContext, 'sql' | 'log'>, signal: AbortSignal) {
  return startRounds({
    task: 'transcript_store',
    async work(isClosed) {
      const onFailure = (error: unknown, transcript: string): void => {
        const fields = { err: describeError(error), transcript };
        log.warn(fields, 'retention could not delete a transcript; trying later');
      };
      for await (const { transcript, reason } of applyRetention(sql, onFailure)) {
        log.info({ transcript, reason }, 'a transcript was deleted by retention');
        if (isClosed()) return;
      }
      for (let removed = 1; removed > 0 && !isClosed(); ) {
        const result = await removeUnreferenced(sql);
        removed = result.removed;
        const fields = { err: describeError(result.failure) };
        if (result.failure !== null)
          log.warn(fields, 'deleted bytes remain in the archive store; trying later');
      }
      const healed = await healDamaged(sql, signal);
      if (healed > 0) log.info({ healed }, 'damaged transcripts were restored');
    },
    failure: 'transcripts could not be cleaned up',
    log,
    intervalMs: INTERVAL_MS,
  });
}
