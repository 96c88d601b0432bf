/**
 * Reads what is inside archived transcripts, behind the intake. It owns the rhythm: two lanes that take one file at a
 * time, the second one small files alone, so that a file that takes long holds up no session of the usual size. What
 * waits stands in the database: a restart loses nothing, and processes share the files out. A file that cannot be read
 * is marked with the reason; what fails for another cause is tried again behind the others, a few times.
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
import { type ContentsThread, FileUnreadableError, startContentsThread } from './start-contents-thread';

export interface ContentsWorkerOptions {
  sql: postgres.Sql;
  store: Pick<TranscriptStore, 'read'>;
  log: Logger;
  /** Time between two looks while nothing waits. Default 1 000. */
  intervalMs?: number;
  /** Of one file. Default: by its size. */
  limitMs?: number;
  startThread?: (fileName: string) => ContentsThread;
}

export interface ContentsWorker {
  /** Stops what is at work, which waits to be read again, and begins nothing more. */
  close(): Promise<void>;
}

const INTERVAL_MS = 1_000;
/** Read in a few seconds. Bytes. */
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

  /** @throws what the database throws while it is away: nothing else can be read then either */
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
      // Deleted, or another process reads it by now.
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
