/**
 * Uploads one archive: offer it, send the chunks that the server lacks, and let the server verify the whole. An
 * interrupted upload resumes with the missing chunks.
 */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip, type ZlibOptions } from 'node:zlib';
import type { ArchiveOffer, ArchiveProgress } from '../../../core/api/transcripts';
import { CHUNK_BYTES } from '../../../core/transcript/limits';
import { openTranscript, readRange } from '../archive/transcript-file';
import { messageOf } from '../guard';
import { ArchiveEndpoints, type ArchiveServer, type UploadOptions } from './archive-server';
import { changed, pause, UploadFailure } from './retry';

/** `path`: the file on this machine. */
export type LocalOffer = ArchiveOffer & { path: string };

export interface UploadedArchive {
  id: string;
  verifiedAt: string | null;
  sent: { chunks: number; bytes: number };
}

const PARALLEL = 3;
/** Maximum number of times that the missing chunks are requested and sent. */
const MAX_ROUNDS = 5;
const ROUND_PAUSE_MS = 500;
/** Fast compression, because the agent on this machine needs the processor. */
const FAST = { level: 1 };
const compress = promisify<Buffer, ZlibOptions, Buffer<ArrayBuffer>>(gzip);

/**
 * @param options the same as for `endpoints`
 * @throws UploadFailure: `again` and `later` if the archive should wait, `final` if the server refuses the archive or
 *   the file changed; what the file system throws; the signal's reason.
 */
export async function uploadArchive(
  offer: LocalOffer,
  endpoints: ArchiveEndpoints,
  options: UploadOptions,
): Promise<UploadedArchive> {
  const sent = { chunks: 0, bytes: 0 };
  const file = await openTranscript(offer.path);
  try {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const pauseMs = Math.min(endpoints.timing.capMs, ROUND_PAUSE_MS * 2 ** round);
      if (round > 0) await pause(pauseMs, options.signal, options.isUnref);
      let progress: ArchiveProgress | null = await endpoints.offer(offer);
      if (progress.state !== 'stored') {
        progress = await sendMissing(progress.missing, { file, offer, endpoints, sent, options })
          .then(() => endpoints.complete(offer.archive))
          .catch(nullIfForgotten);
      }
      if (progress?.state === 'stored') return { id: progress.id, verifiedAt: progress.verifiedAt, sent };
    }
  } finally {
    await file.close();
  }
  throw new UploadFailure('again', 'the server still lacks parts of the archive');
}

/** Null if the server no longer knows the offer, because its database was restored or the upload was dropped. */
function nullIfForgotten(error: unknown): null {
  if (error instanceof UploadFailure && error.status === 404) return null;
  throw error;
}

interface Sending {
  file: FileHandle;
  offer: ArchiveOffer;
  endpoints: ArchiveEndpoints;
  sent: UploadedArchive['sent'];
  options: UploadOptions;
}

async function sendMissing(missing: readonly string[], sending: Sending): Promise<void> {
  const { file, offer, endpoints, sent, options } = sending;
  const lacking = new Set(missing);
  const places = new Map(offer.chunks.map((sha256, index) => [sha256, index * CHUNK_BYTES]));
  const queue = [...places]
    .filter(([sha256]) => lacking.has(sha256))
    .map(([sha256, from]) => ({ sha256, from, to: Math.min(offer.bytes, from + CHUNK_BYTES) }));
  if (queue.length < lacking.size) {
    throw new UploadFailure('later', 'the server asks for chunks that the archive does not have');
  }
  let left = queue.reduce((sum, { from, to }) => sum + to - from, 0);
  const report = () =>
    options.onProgress?.({ bytes: Math.max(0, offer.bytes - left), totalBytes: offer.bytes });
  report();
  const send = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { sha256, from, to } = next;
      const bytes = await readRange(file, from, to);
      if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw changed();
      await endpoints.putChunk(offer.archive, sha256, await compress(bytes, FAST));
      sent.chunks += 1;
      sent.bytes += bytes.length;
      left -= bytes.length;
      report();
    }
  };
  const senders = Array.from({ length: PARALLEL }, () =>
    send().catch((error: unknown) => {
      queue.length = 0;
      throw error;
    }),
  );
  // The file must stay open until every sender has ended.
  const ends = await Promise.allSettled(senders);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** `stored`: complete on the server. `lacking`: not complete. `unknown`: the server could not be asked. */
export type ServerCheck =
  | { state: 'stored'; id: string; verifiedAt: string | null }
  | { state: 'lacking' | 'unknown'; reason: string };

/** Ask a server once whether it has an archive. Throws only the signal's reason. */
export async function askServer(
  archive: string,
  server: ArchiveServer,
  signal?: AbortSignal,
): Promise<ServerCheck> {
  try {
    const endpoints = new ArchiveEndpoints(server, { signal, timing: { patienceMs: 0 } });
    const { state, id, verifiedAt, missing } = await endpoints.complete(archive);
    if (state === 'stored') return { state, id, verifiedAt };
    const what = missing.length === 1 ? 'one of its chunks is' : `${missing.length} of its chunks are`;
    return { state: 'lacking', reason: `${what} missing there` };
  } catch (error) {
    signal?.throwIfAborted();
    const isLacking = error instanceof UploadFailure && (error.kind === 'final' || error.status === 404);
    return { state: isLacking ? 'lacking' : 'unknown', reason: messageOf(error) };
  }
}
