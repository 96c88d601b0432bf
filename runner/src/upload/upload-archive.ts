/**
 * Uploads one archive: offer it, send the chunks that the server lacks, and have the server verify the whole. Chunks
 * are read one by one, so memory does not grow with the transcript. An interrupted upload resumes with what is missing.
 */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip, type ZlibOptions } from 'node:zlib';
import type { ArchiveOffer, ArchiveProgress } from '../../../core/api/transcripts';
import { CHUNK_BYTES } from '../../../core/transcript/limits';
import { openTranscript } from '../archive/copy-transcript';
import {
  ArchiveEndpoints,
  type ArchiveServer,
  CALL_TIMING,
  type CallTiming,
  changed,
  describeError,
  UploadFailure,
} from './archive-server';
import { readChunk } from './read-parts';
import { pause, RETRY_TIMING, type RetryTiming, retry } from './retry';

/** The first `offer.bytes` bytes of a file. */
export interface ArchiveContent {
  offer: ArchiveOffer;
  /** Absolute. */
  path: string;
}

export interface UploadOptions {
  signal?: AbortSignal;
  timing?: Partial<RetryTiming & CallTiming>;
  /** Pauses do not keep the process alive. Default false. */
  isUnref?: boolean;
  /** Bytes that the server has, and all of them. */
  onProgress?(progress: { bytes: number; totalBytes: number }): void;
  /** Called before each pause after a failed attempt. */
  onPause?(reason: string): void;
}

/** An archive that the server stored and verified. */
export interface UploadedArchive {
  /** The server's id of the transcript. */
  id: string;
  verifiedAt: string | null;
  /** What was sent: chunks, their bytes, and their compressed bytes. */
  sent: { chunks: number; bytes: number; compressedBytes: number };
}

/** Chunks sent at once: one is compressed while another is on the wire. */
const PARALLEL = 3;
/** How often the server may find chunks missing after all were sent. */
const MAX_ROUNDS = 5;
const ROUND_PAUSE_MS = 500;
/** The agent on this machine needs the processor more than the network needs smaller chunks. */
const FAST = { level: 1 };
const compress = promisify<Buffer, ZlibOptions, Buffer<ArrayBuffer>>(gzip);

/**
 * @throws UploadFailure: `again` and `later` if the archive should wait, `final` if the server will never take it or
 *   the file changed; what the file system throws; the signal's reason.
 */
export async function uploadArchive(
  content: ArchiveContent,
  server: ArchiveServer,
  options: UploadOptions = {},
): Promise<UploadedArchive> {
  const { offer } = content;
  const { endpoints, attempt, timing } = connect(server, options);
  const sent = { chunks: 0, bytes: 0, compressedBytes: 0 };
  const file = await openTranscript(content.path);
  try {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const pauseMs = Math.min(timing.capMs, ROUND_PAUSE_MS * 2 ** round);
      if (round > 0) await pause(pauseMs, options.signal, options.isUnref);
      const offered = await attempt(() => endpoints.offer(offer));
      if (offered.state === 'stored') return { id: offered.id, verifiedAt: offered.verifiedAt, sent };
      const completed = await nullIfForgotten(async () => {
        await sendMissing(offered.missing, { file, offer, endpoints, attempt, sent, options });
        return attempt(() => endpoints.complete(offer.archive));
      });
      if (completed?.state === 'stored') return { id: completed.id, verifiedAt: completed.verifiedAt, sent };
    }
  } finally {
    await file.close();
  }
  throw new UploadFailure('again', 'the server keeps missing parts of it');
}

/** The id of the server; null for a server that does not report one. @throws as `uploadArchive`. */
export function identifyServer(server: ArchiveServer, options: UploadOptions = {}): Promise<string | null> {
  const { endpoints, attempt } = connect(server, options);
  return attempt(() => endpoints.identify());
}

function connect(server: ArchiveServer, options: UploadOptions) {
  const { signal, isUnref, onPause } = options;
  const timing = { ...RETRY_TIMING, ...CALL_TIMING, ...options.timing };
  const endpoints = new ArchiveEndpoints(server, timing, signal);
  const attempt = <T>(step: () => Promise<T>) => retry(step, { timing, signal, isUnref, onPause });
  return { endpoints, attempt, timing };
}

interface Sending {
  file: FileHandle;
  offer: ArchiveOffer;
  endpoints: ArchiveEndpoints;
  attempt<T>(step: () => Promise<T>): Promise<T>;
  sent: UploadedArchive['sent'];
  options: UploadOptions;
}

async function sendMissing(missing: readonly string[], sending: Sending): Promise<void> {
  const { file, offer, endpoints, attempt, sent, options } = sending;
  const lacking = new Set(missing);
  const places = new Map(offer.chunks.map((sha256, index) => [sha256, index]));
  const queue = [...places]
    .filter(([sha256]) => lacking.has(sha256))
    .map(([sha256, index]) => ({ sha256, index, size: sizeOf(offer, index) }));
  if (queue.length < lacking.size) {
    throw new UploadFailure('later', 'the server asks for chunks that are not part of it');
  }
  let left = queue.reduce((sum, { size }) => sum + size, 0);
  const report = () =>
    options.onProgress?.({ bytes: Math.max(0, offer.bytes - left), totalBytes: offer.bytes });
  report();
  let hasFailed = false;
  const send = async () => {
    for (let next = queue.shift(); next !== undefined && !hasFailed; next = queue.shift()) {
      const { sha256, index } = next;
      const bytes = await readChunk(file, index, offer.bytes);
      if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw changed();
      const gzipped = await compress(bytes, FAST);
      await attempt(() => endpoints.putChunk(offer.archive, sha256, gzipped));
      sent.chunks += 1;
      sent.bytes += bytes.length;
      sent.compressedBytes += gzipped.length;
      left -= bytes.length;
      report();
    }
  };
  const senders = Array.from({ length: PARALLEL }, () =>
    send().catch((error: unknown) => {
      hasFailed = true;
      throw error;
    }),
  );
  // The file must stay open until every sender has ended.
  const ends = await Promise.allSettled(senders);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** Null if the server no longer knows the offer: its database was restored, or it gave the upload up. */
async function nullIfForgotten(step: () => Promise<ArchiveProgress>): Promise<ArchiveProgress | null> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof UploadFailure && error.status === 404) return null;
    throw error;
  }
}

/** Bytes of the chunk at that index. */
function sizeOf({ chunks, bytes }: ArchiveOffer, index: number): number {
  return index < chunks.length - 1 ? CHUNK_BYTES : bytes - index * CHUNK_BYTES;
}

/** `stored`: complete on the server. `lacking`: not complete. `unknown`: the server could not be asked. */
export type ServerCheck =
  | { state: 'stored'; id: string; verifiedAt: string | null }
  | { state: 'lacking' | 'unknown'; reason: string };

/** Ask a server whether it has an archive, without changing anything there. Throws only the signal's reason. */
export async function askServer(
  archive: string,
  server: ArchiveServer,
  signal?: AbortSignal,
): Promise<ServerCheck> {
  try {
    const endpoints = new ArchiveEndpoints(server, CALL_TIMING, signal);
    const { state, id, verifiedAt, missing } = await endpoints.complete(archive);
    if (state === 'stored') return { state, id, verifiedAt };
    const what = missing.length === 1 ? 'one of its chunks is' : `${missing.length} of its chunks are`;
    return { state: 'lacking', reason: `${what} missing there` };
  } catch (error) {
    signal?.throwIfAborted();
    const isLacking = error instanceof UploadFailure && (error.kind === 'final' || error.status === 404);
    return { state: isLacking ? 'lacking' : 'unknown', reason: describeError(error) };
  }
}
