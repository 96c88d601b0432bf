/**
 * Reads what is inside archived transcripts, behind the intake. It owns the rhythm: one file at a time, a look every
 * second while nothing waits. What waits stands in the database, so that a restart loses nothing, and processes share
 * the files out. A file that cannot be read is marked with the reason, and the next one is read.
 */
import type { Logger } from 'pino';
import type postgres from 'postgres';
import { judgeFault } from '../../db/judge-fault';
import {
  type ClaimedTranscript,
  claimContents,
  failContents,
  releaseContents,
} from '../../db/transcripts/contents/claim-contents';
import {
  ChunkDamagedError,
  TranscriptGoneError,
  type TranscriptStore,
} from '../../db/transcripts/transcript-store';
import { readContents } from './read-contents';
import { type ContentsThread, FileUnreadableError, startContentsThread } from './start-contents-thread';

export interface ContentsWorkerOptions {
  sql: postgres.Sql;
  store: Pick<TranscriptStore, 'read'>;
  log: Logger;
  /** Time between two looks while nothing waits. Default 1 000. */
  intervalMs?: number;
  startThread?: (fileName: string) => ContentsThread;
}

export interface ContentsWorker {
  /** Stops what is at work, which waits to be read again, and begins nothing more. */
  close(): Promise<void>;
}

const INTERVAL_MS = 1_000;

export function startContentsWorker({
  sql,
  store,
  log,
  intervalMs = INTERVAL_MS,
  startThread = startContentsThread,
}: ContentsWorkerOptions): ContentsWorker {
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();

  async function readOne(claimed: ClaimedTranscript): Promise<void> {
    const { transcriptId } = claimed;
    try {
      await readContents(claimed, { sql, store, startThread, signal: closing.signal });
    } catch (error) {
      if (error instanceof TranscriptGoneError) return;
      const isFileAtFault = error instanceof FileUnreadableError || error instanceof ChunkDamagedError;
      if (isFileAtFault && !closing.signal.aborted) {
        log.warn({ transcriptId, reason: error.message }, 'a transcript could not be read');
        await failContents(sql, transcriptId, error.message);
        return;
      }
      await releaseContents(sql, transcriptId);
      throw error;
    }
  }

  async function work(): Promise<void> {
    try {
      while (!closing.signal.aborted) {
        const claimed = await claimContents(sql);
        if (claimed === null) break;
        await readOne(claimed);
      }
    } catch (error) {
      // Nothing is lost: the transcript still waits, and a later look finds it.
      const { code } = error as { code?: unknown };
      if (!closing.signal.aborted) {
        log.warn({ fault: judgeFault(error), code }, 'transcripts could not be read; trying later');
      }
    }
    if (!closing.signal.aborted) schedule();
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
      closing.abort();
      clearTimeout(timer);
      await round;
    },
  };
}
