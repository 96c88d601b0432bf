/** Reads one stored transcript for screens and search, in two passes through a thread. */
import type postgres from 'postgres';
import { readFile, TranscriptGoneError } from '../../db/transcripts/chunk-store';
import { type ClaimedTranscript, keepClaim } from '../../db/transcripts/contents/claim-contents';
import type { PackedSegment } from '../../db/transcripts/contents/pack-contents';
import { clearContents, finishContents, writeSegments } from '../../db/transcripts/contents/write-contents';
import type { ContentsSource } from './contents-tasks';
import { type ContentsThread, FileUnreadableError } from './thread-pools';

const KEEP_CLAIM_MS = 20_000;

/**
 * @throws FileUnreadableError when the file cannot be read
 * @throws TranscriptGoneError when it was deleted
 * @throws database errors
 */
export async function readContents(
  sql: postgres.Sql,
  claimed: ClaimedTranscript,
  startThread: (source: ContentsSource) => ContentsThread,
  signal?: AbortSignal,
): Promise<void> {
  const { transcriptId } = claimed;
  const limitMs = 60_000 + (claimed.bytes / 1_000_000) * 5_000;
  const startedAt = performance.now();
  let keptAt = startedAt;
  const thread = startThread(claimed);
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
  let place = 0;
  const write = async (segments: readonly PackedSegment[]): Promise<void> => {
    await writeSegments(sql, claimed, place, segments);
    place += segments.length;
    await check();
  };
  try {
    await clearContents(sql, claimed);
    for await (const bytes of readFile(sql, transcriptId)) {
      await thread.scan(bytes);
      await check();
    }
    for await (const bytes of readFile(sql, transcriptId)) await write(await thread.read(bytes));
    const { segments, contents } = await thread.finish();
    await write(segments);
    await finishContents(sql, claimed, contents, check);
  } finally {
    signal?.removeEventListener('abort', stop);
    await thread.close();
  }
}
