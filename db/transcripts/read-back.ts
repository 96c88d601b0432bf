/**
 * Verification of archives by reading them back. Results are cached for ten minutes as long as no row changes, and
 * concurrent requests share one reading; damage below the database may be seen that much later.
 */
import { createHash } from 'node:crypto';
import { CHUNK_BYTES } from '../../core/api/transcripts';
import {
  ChunkDamagedError,
  type FileStamp,
  TranscriptGoneError,
  type TranscriptStore,
} from './transcript-store';

interface OfferedFile {
  id: number;
  /** The offered hash. */
  sha256: string | null;
  bytes: number | null;
}

type ReadBack =
  /** `isFresh`: read for this call. */
  | { type: 'whole'; stamp: FileStamp; isFresh: boolean }
  /** Chunks are missing or were removed. */
  | { type: 'damaged' }
  | { type: 'gone' }
  /** All chunks have their hash, but make another file. */
  | { type: 'other'; reason: string };

export interface ReadBacks {
  /** @throws the signal's reason; read errors */
  read(file: OfferedFile, signal?: AbortSignal): Promise<ReadBack>;
}

interface Whole {
  stamp: FileStamp;
  sha256: string | null;
  readAt: number;
}

const MAX_AGE_MS = 10 * 60_000;
const MOST_REMEMBERED = 10_000;

export function createReadBacks(
  store: Pick<TranscriptStore, 'read' | 'stamp'>,
  { now = Date.now, maxAgeMs = MAX_AGE_MS }: { now?: () => number; maxAgeMs?: number } = {},
): ReadBacks {
  const wholes = new Map<number, Whole>();
  const running = new Map<number, { sha256: string | null; result: Promise<ReadBack> }>();

  async function readFresh(file: OfferedFile, signal: AbortSignal | undefined): Promise<ReadBack> {
    // Taken before the first byte, so that a change during the reading is noticed.
    const stamp = await store.stamp(file.id);
    if (!stamp) return { type: 'gone' };
    const result = await readBytes(store, file, stamp, signal);
    if (result.type !== 'whole') {
      wholes.delete(file.id);
      return result;
    }
    wholes.delete(file.id);
    wholes.set(file.id, { stamp, sha256: file.sha256, readAt: now() });
    if (wholes.size > MOST_REMEMBERED) {
      const oldest = wholes.keys().next();
      if (!oldest.done) wholes.delete(oldest.value);
    }
    return result;
  }

  return {
    async read(file, signal) {
      const known = wholes.get(file.id);
      if (known && known.sha256 === file.sha256 && now() - known.readAt < maxAgeMs) {
        const stamp = await store.stamp(file.id);
        if (stamp?.parts === known.stamp.parts && stamp.chunks === known.stamp.chunks) {
          return { type: 'whole', stamp, isFresh: false };
        }
      }
      const other = running.get(file.id);
      if (other?.sha256 === file.sha256) return other.result;
      const result = readFresh(file, signal).finally(() => {
        if (running.get(file.id)?.result === result) running.delete(file.id);
      });
      running.set(file.id, { sha256: file.sha256, result });
      return result;
    },
  };
}

async function readBytes(
  store: Pick<TranscriptStore, 'read'>,
  { id, sha256, bytes }: OfferedFile,
  stamp: FileStamp,
  signal: AbortSignal | undefined,
): Promise<ReadBack> {
  const digest = createHash('sha256');
  let length = 0;
  let damaged = 0;
  for (let isEnd = false; !isEnd; ) {
    try {
      for await (const part of store.read(id, length)) {
        signal?.throwIfAborted();
        digest.update(part);
        length += part.length;
      }
      isEnd = true;
    } catch (error) {
      if (error instanceof TranscriptGoneError) return { type: 'gone' };
      if (!(error instanceof ChunkDamagedError)) throw error;
      // Check the rest too, so that the runner learns of all missing chunks at once.
      damaged += 1;
      length = (Math.floor(length / CHUNK_BYTES) + 1) * CHUNK_BYTES;
    }
  }
  if (damaged > 0) return { type: 'damaged' };
  const found = digest.digest('hex');
  if (length === bytes && found === sha256) return { type: 'whole', stamp, isFresh: true };
  const reason = `the chunks make a file of ${length} bytes with SHA-256 ${found}, not the offered one`;
  return { type: 'other', reason };
}
