/**
 * Reads the content of archived transcripts in the background, in two lanes of one file at a time. The second lane takes
 * only small files, so that a large file does not delay them. The queue is in the database, so a restart loses nothing
 * and processes share the files. An unreadable file is marked with the reason. After any other error the file is retried
 * a few times, after the other files.
 */
import { randomUUID } from 'node:crypto';
import { judgeFault } from '../../db/judge-fault';
import { ChunkDamagedError, TranscriptGoneError } from '../../db/transcripts/chunk-store';
import {
  type ClaimedTranscript,
  claimContents,
  endClaim,
} from '../../db/transcripts/contents/claim-contents';
import type { ServerContext } from '../http/endpoint';
import { startRounds } from '../start-rounds';
import { readContents } from './read-contents';
import { FileUnreadableError, startContentsThread } from './thread-pools';

interface ContentsWorkerOptions extends Pick<ServerContext, 'sql' | 'log'> {
  /** Time between two polls of an empty queue. Default 1 000. */
  intervalMs?: number;
  startThread?: typeof startContentsThread;
}

/** Bytes that are read in a few seconds. */
const SMALL_BYTES = 8_000_000;

export function startContentsWorker({
  sql,
  log,
  intervalMs = 1_000,
  startThread = startContentsThread,
}: ContentsWorkerOptions) {
  const closing = new AbortController();
  const { signal } = closing;

  /** @throws if the database is unavailable, which ends the round */
  async function readOne(claimed: ClaimedTranscript): Promise<void> {
    const { transcriptId } = claimed;
    try {
      await readContents(sql, claimed, startThread, signal);
    } catch (error) {
      // The file was deleted, or claimed by another process.
      if (error instanceof TranscriptGoneError) return;
      if (signal.aborted) return void (await endClaim(sql, claimed, 'released'));
      if (error instanceof FileUnreadableError || error instanceof ChunkDamagedError) {
        log.warn({ transcriptId, reason: error.message }, 'a transcript could not be read');
        await endClaim(sql, claimed, 'failed', error.message);
        return;
      }
      const fault = judgeFault(error);
      if (fault === 'unavailable' || fault === 'transient') {
        await endClaim(sql, claimed, 'released');
        throw error;
      }
      const { code, message } = error as { code?: unknown; message?: string };
      const reason = `the content could not be stored: ${message ?? 'unknown'}`;
      const isLast = await endClaim(sql, claimed, 'postponed', reason);
      log.warn({ transcriptId, fault, code, isLast }, 'a transcript could not be read');
    }
  }

  const lanes = [undefined, SMALL_BYTES].map((maxBytes) => {
    const owner = randomUUID();
    return startRounds({
      task: 'transcripts',
      async work(isClosed) {
        while (!isClosed()) {
          const claimed = await claimContents(sql, owner, maxBytes);
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
    /** Return the current files to the queue and stop. */
    async close(): Promise<void> {
      closing.abort();
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}
