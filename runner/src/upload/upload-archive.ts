/**
 * Hands one archive over: says what it is, sends the chunks that the server lacks, and waits until the server has read
 * it all back. It reads chunk by chunk from a file that it holds open, and never holds more than a few of them, so the
 * length of a transcript costs time and no memory. Broken off anywhere, it goes on with what is missing.
 */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip, type ZlibOptions } from 'node:zlib';
import type { ArchiveOffer, ArchiveProgress } from '../../../core/api/transcripts';
import { CHUNK_BYTES } from '../../../core/transcript/chunk-bytes';
import { openTranscript } from '../archive/copy-transcript';
import { ArchiveEndpoints, type ArchiveServer, CALL_TIMING, type CallTiming } from './archive-server';
import { keepTrying, pause, RETRY_TIMING, type RetryTiming } from './keep-trying';
import { readChunk } from './read-parts';
import { changed, describeError, UploadFailure } from './upload-failure';

/** What is sent: the first `offer.bytes` bytes of a file. */
export interface ArchiveContent {
  offer: ArchiveOffer;
  /** Absolute. */
  path: string;
}

export interface UploadProgress {
  /** Bytes of the archive that the server has by now, and all of them. */
  bytes: number;
  totalBytes: number;
}

export interface UploadOptions {
  signal?: AbortSignal;
  timing?: Partial<RetryTiming & CallTiming>;
  now?(): number;
  random?(): number;
  /** Pauses do not keep the process alive. Default false. */
  isUnref?: boolean;
  onProgress?(progress: UploadProgress): void;
  /** Before each pause after something that did not work. */
  onPause?(reason: string, milliseconds: number): void;
}

/** A whole archive at the server, read back and hashed there. */
export interface UploadedArchive {
  /** The server's id of the transcript. */
  id: string;
  verifiedAt: string | null;
  /** What had to be sent: chunks, their bytes, and the bytes that went over the wire for them. */
  sent: { chunks: number; bytes: number; compressedBytes: number };
}

/** Chunks under way at once: one is compressed while another is sent. */
const PARALLEL = 3;
/** Times that the server may find something missing after everything was sent. */
const MAX_ROUNDS = 5;
const ROUND_PAUSE_MS = 500;
/** Of what lies on the way, the agent beside this has more use for the processor than the network for bytes. */
const QUICK = { level: 1 };
/** In a thread of Node's own. Its result is never shared between threads. */
const compress = promisify<Buffer, ZlibOptions, Buffer<ArrayBuffer>>(gzip);

/**
 * @throws UploadFailure: `again` and `later` where the archive should wait, `final` where the server will never take it
 *   or the file's bytes are no longer those that were announced; what the file system throws; the signal's reason.
 */
export async function uploadArchive(
  content: ArchiveContent,
  server: ArchiveServer,
  options: UploadOptions = {},
): Promise<UploadedArchive> {
  const { offer } = content;
  const { now = Date.now, random = Math.random, signal, isUnref, onPause } = options;
  const timing = { ...RETRY_TIMING, ...CALL_TIMING, ...options.timing };
  const endpoints = new ArchiveEndpoints(server, timing, signal);
  const insist = <T>(step: () => Promise<T>): Promise<T> =>
    keepTrying(step, { timing, signal, now, random, isUnref, ...(onPause === undefined ? {} : { onPause }) });
  const sent = { chunks: 0, bytes: 0, compressedBytes: 0 };
  const stored = ({ id, verifiedAt }: ArchiveProgress): UploadedArchive => ({ id, verifiedAt, sent });

  const file = await openTranscript(content.path);
  try {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      if (round > 0) await pause(Math.min(timing.capMs, ROUND_PAUSE_MS * 2 ** round), signal, isUnref);
      const offered = await insist(() => endpoints.offer(offer));
      if (offered.state === 'stored') return stored(offered);
      const isSent = await sendMissing(offered.missing, { file, offer, endpoints, insist, sent, options });
      if (!isSent) continue;
      const completed = await completeIfKnown(() => insist(() => endpoints.complete(offer.archive)));
      if (completed?.state === 'stored') return stored(completed);
    }
  } finally {
    await file.close();
  }
  throw new UploadFailure('again', 'the server does not come to have all of it');
}

/**
 * Who the server is: the first thing asked, before a long file is read for it.
 * @returns null where the server is of a version that does not say. @throws as `uploadArchive`.
 */
export async function identifyServer(
  server: ArchiveServer,
  options: UploadOptions = {},
): Promise<string | null> {
  const { now = Date.now, random = Math.random, signal, isUnref, onPause } = options;
  const timing = { ...RETRY_TIMING, ...CALL_TIMING, ...options.timing };
  const endpoints = new ArchiveEndpoints(server, timing, signal);
  return keepTrying(() => endpoints.identify(), {
    timing,
    signal,
    now,
    random,
    isUnref,
    ...(onPause === undefined ? {} : { onPause }),
  });
}

interface Sending {
  file: FileHandle;
  offer: ArchiveOffer;
  endpoints: ArchiveEndpoints;
  insist<T>(step: () => Promise<T>): Promise<T>;
  sent: UploadedArchive['sent'];
  options: UploadOptions;
}

/** @returns false where the server no longer knows of the offer, and it has to be made again. */
async function sendMissing(missing: readonly string[], sending: Sending): Promise<boolean> {
  const { offer, endpoints, insist, sent, options } = sending;
  const places = new Map(offer.chunks.map((sha256, index) => [sha256, index]));
  const queue = [...new Set(missing)].map((sha256) => {
    const index = places.get(sha256);
    if (index === undefined) throw new UploadFailure('later', 'the server asks for what is not in it');
    return { sha256, index };
  });
  queue.sort((a, b) => a.index - b.index);
  const sizes = new Map(offer.chunks.map((sha256, index) => [sha256, sizeOf(offer, index)]));
  let left = queue.reduce((sum, { sha256 }) => sum + (sizes.get(sha256) ?? 0), 0);
  const tell = () =>
    options.onProgress?.({ bytes: Math.max(0, offer.bytes - left), totalBytes: offer.bytes });
  tell();
  let isKnown = true;
  let failed = false;
  const send = async () => {
    for (let next = queue.shift(); next !== undefined && isKnown && !failed; next = queue.shift()) {
      const { sha256, index } = next;
      const bytes = await readChunk(sending.file, index, offer.bytes);
      if (hashOf(bytes) !== sha256) throw changed();
      const gzipped = await compress(bytes, QUICK);
      try {
        await insist(() => endpoints.putChunk(offer.archive, sha256, gzipped));
      } catch (error) {
        if (!isForgotten(error)) throw error;
        isKnown = false;
        return;
      }
      sent.chunks += 1;
      sent.bytes += bytes.length;
      sent.compressedBytes += gzipped.length;
      left -= bytes.length;
      tell();
    }
  };
  const senders = Array.from({ length: PARALLEL }, () =>
    send().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  // The file stays open until the last of them is through.
  const ends = await Promise.allSettled(senders);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return isKnown;
}

/** Null where the server no longer knows of the offer. */
async function completeIfKnown(complete: () => Promise<ArchiveProgress>): Promise<ArchiveProgress | null> {
  try {
    return await complete();
  } catch (error) {
    if (isForgotten(error)) return null;
    throw error;
  }
}

/** A server whose database was put back to an earlier day, or that gave an upload up. */
function isForgotten(error: unknown): boolean {
  return error instanceof UploadFailure && error.status === 404;
}

/** Bytes of the chunk at that place. */
function sizeOf({ chunks, bytes }: ArchiveOffer, index: number): number {
  return index < chunks.length - 1 ? CHUNK_BYTES : bytes - index * CHUNK_BYTES;
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** What a server has of an archive that was handed over before, without reading it here. Null: it does not have it whole. */
export async function findUploaded(
  archive: string,
  server: ArchiveServer,
  signal?: AbortSignal,
): Promise<UploadedArchive | null> {
  try {
    const endpoints = new ArchiveEndpoints(server, CALL_TIMING, signal);
    const { state, id, verifiedAt } = await endpoints.complete(archive);
    return state === 'stored' ? { id, verifiedAt, sent: { chunks: 0, bytes: 0, compressedBytes: 0 } } : null;
  } catch {
    signal?.throwIfAborted();
    // The offer says what is wrong.
    return null;
  }
}

/** `stored`: the server has it whole. `lacking`: it does not. `unknown`: it cannot be asked now. */
export type ServerCheck = { state: 'stored' } | { state: 'lacking' | 'unknown'; reason: string };

/** Asks a server whether it has an archive that was handed over. Changes nothing there. Never throws but the signal's reason. */
export async function askServer(
  archive: string,
  server: ArchiveServer,
  signal?: AbortSignal,
): Promise<ServerCheck> {
  try {
    const { state, missing } = await new ArchiveEndpoints(server, CALL_TIMING, signal).complete(archive);
    if (state === 'stored') return { state };
    const what = missing.length === 1 ? 'one of its chunks is' : `${missing.length} of its chunks are`;
    return { state: 'lacking', reason: `${what} missing there` };
  } catch (error) {
    signal?.throwIfAborted();
    const isLacking = error instanceof UploadFailure && (error.kind === 'final' || error.status === 404);
    return { state: isLacking ? 'lacking' : 'unknown', reason: describeError(error) };
  }
}
