/**
 * Reads the content of archived transcripts in the background, in two lanes of one file at a time; the second takes
 * small files only, so that a large file does not delay the others. The queue is in the database: a restart loses
 * nothing, and processes share the files. A file that cannot be read is marked with the reason; after any other error
 * it is retried a few times, behind the others.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type postgres from 'postgres';
import { judgeFault } from '../../db/judge-fault';
import {
  type ClaimedTranscript,
  type ClaimOptions,
  claimContents,
  failContents,
  postponeContents,
  releaseContents,
} from '../../db/transcripts/contents/claim-contents';
import {
  ChunkDamagedError,
  TranscriptGoneError,
  type TranscriptStore,
} from '../../db/transcripts/transcript-store';
import { startRounds } from '../start-rounds';
import { readContents } from './read-contents';
import { type ContentsThread, FileUnreadableError, startContentsThread } from './thread-pools';

export interface ContentsWorkerOptions {
  sql: postgres.Sql;
  store: Pick<TranscriptStore, 'read'>;
  log: Logger;
  /** Time between two polls of an empty queue. Default 1 000. */
  intervalMs?: number;
  /** Time for one file. Default: by its size. */
  limitMs?: number;
  startThread?: (fileName: string) => ContentsThread;
}

export interface ContentsWorker {
  /** Return the current files to the queue and stop. */
  close(): Promise<void>;
}

const INTERVAL_MS = 1_000;
/** Bytes that are read in a few seconds. */
const SMALL_BYTES = 8_000_000;

export function startContentsWorker({
  sql,
  store,
  log,
  intervalMs = INTERVAL_MS,
  limitMs,
  startThread = startContentsThread,
}: ContentsWorkerOptions): ContentsWorker {
  const closing = new AbortController();
  const { signal } = closing;

  /** @throws while the database is away, which ends the round */
  async function readOne(claimed: ClaimedTranscript): Promise<void> {
    const { transcriptId } = claimed;
    try {
      await readContents(claimed, {
        sql,
        store,
        startThread,
        signal,
        ...(limitMs !== undefined && { limitMs }),
      });
    } catch (error) {
      // Deleted, or claimed by another process.
      if (error instanceof TranscriptGoneError) return;
      if (signal.aborted) return releaseContents(sql, claimed);
      if (error instanceof FileUnreadableError || error instanceof ChunkDamagedError) {
        log.warn({ transcriptId, reason: error.message }, 'a transcript could not be read');
        return failContents(sql, claimed, error.message);
      }
      const fault = judgeFault(error);
      if (fault === 'unavailable' || fault === 'transient') {
        await releaseContents(sql, claimed);
        throw error;
      }
      const { code, message } = error as { code?: unknown; message?: unknown };
      const reason = `what was read could not be written: ${typeof message === 'string' ? message : 'unknown'}`;
      const isLast = await postponeContents(sql, claimed, reason);
      log.warn({ transcriptId, fault, code, isLast }, 'a transcript could not be read');
    }
  }

  const lanes = [{}, { maxBytes: SMALL_BYTES }].map((lane) => {
    const claim: ClaimOptions = { owner: randomUUID(), ...lane };
    return startRounds({
      async work(isClosed) {
        while (!isClosed()) {
          const claimed = await claimContents(sql, claim);
          if (claimed === null) return;
          await readOne(claimed);
        }
      },
      failure: 'transcripts could not be read',
      log,
      intervalMs,
    });
  });

  return {
    async close() {
      closing.abort();
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}
