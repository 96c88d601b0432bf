/** Reads one stored transcript into what screens and search need: two passes of its bytes through a thread. */
import type postgres from 'postgres';
import { type ClaimedTranscript, keepClaim } from '../../db/transcripts/contents/claim-contents';
import type { PackedSegment } from '../../db/transcripts/contents/pack-contents';
import { clearContents, finishContents, writeSegments } from '../../db/transcripts/contents/write-contents';
import { TranscriptGoneError, type TranscriptStore } from '../../db/transcripts/transcript-store';
import { type ContentsThread, FileUnreadableError } from './start-contents-thread';

export interface ReadContentsOptions {
  sql: postgres.Sql;
  store: Pick<TranscriptStore, 'read'>;
  startThread: (fileName: string) => ContentsThread;
  /** Of the whole file. Default: a minute, and five seconds more for each megabyte. */
  limitMs?: number;
  signal?: AbortSignal;
}

/** Segments of one transaction: the project's lock is held for a moment at a time. */
const BATCH = 32;
const SIGN_OF_LIFE_MS = 20_000;

/**
 * @throws FileUnreadableError when the file is at fault
 * @throws TranscriptGoneError when it was deleted meanwhile
 * @throws what the database throws
 */
export async function readContents(claimed: ClaimedTranscript, options: ReadContentsOptions): Promise<void> {
  const { sql, store, signal } = options;
  const { transcriptId } = claimed;
  const limitMs = options.limitMs ?? 60_000 + (claimed.bytes / 1_000_000) * 5_000;
  const startedAt = performance.now();
  let sawLifeAt = startedAt;
  const thread = options.startThread(claimed.fileName);
  // A stop does not wait for the chunk at work.
  const stop = (): void => void thread.close();
  signal?.addEventListener('abort', stop, { once: true });
  const check = async (): Promise<void> => {
    signal?.throwIfAborted();
    const now = performance.now();
    if (now - startedAt > limitMs) {
      throw new FileUnreadableError(`reading it takes longer than ${Math.round(limitMs / 1_000)} s`);
    }
    if (now - sawLifeAt < SIGN_OF_LIFE_MS) return;
    sawLifeAt = now;
    if (!(await keepClaim(sql, claimed))) throw new TranscriptGoneError();
  };

  try {
    await clearContents(sql, claimed);
    for await (const bytes of store.read(transcriptId)) {
      await thread.ask({ type: 'scan', bytes });
      await check();
    }
    await thread.ask({ type: 'end_scan' });
    if (claimed.summary !== null) await thread.ask({ type: 'follow', summary: claimed.summary });

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
      const { segments } = await thread.ask({ type: 'read', bytes });
      waiting.push(...segments);
      await write(BATCH);
      await check();
    }
    const last = await thread.ask({ type: 'finish' });
    if (last.type !== 'finished') throw new Error('the thread gave no contents');
    waiting.push(...last.segments);
    await write(0);
    await finishContents(sql, claimed, last.contents, check);
  } finally {
    signal?.removeEventListener('abort', stop);
    await thread.close();
  }
}
