/** Reads one stored transcript into what screens and search need, in two passes through a thread. */
import type postgres from 'postgres';
import { type ClaimedTranscript, keepClaim } from '../../db/transcripts/contents/claim-contents';
import type { PackedSegment } from '../../db/transcripts/contents/pack-contents';
import { clearContents, finishContents, writeSegments } from '../../db/transcripts/contents/write-contents';
import { TranscriptGoneError, type TranscriptStore } from '../../db/transcripts/transcript-store';
import { type ContentsThread, FileUnreadableError } from './thread-pools';

export interface ReadContentsOptions {
  sql: postgres.Sql;
  store: Pick<TranscriptStore, 'read'>;
  startThread: (fileName: string) => ContentsThread;
  /** Time for the whole file. Default: a minute plus five seconds per megabyte. */
  limitMs?: number;
  signal?: AbortSignal;
}

/** Segments of one transaction, so that the project's lock is held briefly. */
const BATCH = 32;
const KEEP_CLAIM_MS = 20_000;

/**
 * @throws FileUnreadableError when the file is at fault
 * @throws TranscriptGoneError when it was deleted meanwhile
 * @throws database errors
 */
export async function readContents(claimed: ClaimedTranscript, options: ReadContentsOptions): Promise<void> {
  const { sql, store, signal } = options;
  const { transcriptId } = claimed;
  const limitMs = options.limitMs ?? 60_000 + (claimed.bytes / 1_000_000) * 5_000;
  const startedAt = performance.now();
  let keptAt = startedAt;
  const thread = options.startThread(claimed.fileName);
  // Stopping does not wait for the current chunk.
  const stop = (): void => void thread.close();
  signal?.addEventListener('abort', stop, { once: true });
  const check = async (): Promise<void> => {
    signal?.throwIfAborted();
    const now = performance.now();
    if (now - startedAt > limitMs) {
      throw new FileUnreadableError(`reading it takes longer than ${Math.round(limitMs / 1_000)} s`);
    }
    if (now - keptAt < KEEP_CLAIM_MS) return;
    keptAt = now;
    if (!(await keepClaim(sql, claimed))) throw new TranscriptGoneError();
  };

  try {
    await clearContents(sql, claimed);
    for await (const bytes of store.read(transcriptId)) {
      await thread.scan(bytes);
      await check();
    }
    await thread.endScan();
    if (claimed.summary !== null) await thread.follow(claimed.summary);

    let place = 0;
    let waiting: PackedSegment[] = [];
    const write = async (least: number): Promise<void> => {
      while (waiting.length > 0 && waiting.length >= least) {
        const batch = waiting.slice(0, BATCH);
        await writeSegments(sql, claimed, place, batch);
        place += batch.length;
        waiting = waiting.slice(BATCH);
        await check();
      }
    };
    for await (const bytes of store.read(transcriptId)) {
      waiting.push(...(await thread.read(bytes)));
      await write(BATCH);
      await check();
    }
    const { segments, contents } = await thread.finish();
    waiting.push(...segments);
    await write(0);
    await finishContents(sql, claimed, contents, check);
  } finally {
    signal?.removeEventListener('abort', stop);
    await thread.close();
  }
}
