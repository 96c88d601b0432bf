/** Hands over one archive of the index, and notes there what became of it. */
import { basename } from 'node:path';
import type { ArchiveOffer } from '../../../core/api/transcripts';
import { noteUpload } from '../archive/archive-index';
import type { ArchiveEntry, ArchiveNote, UploadState } from '../archive/archive-types';
import { NotAFileError, openTranscript } from '../archive/copy-transcript';
import { knownTrigger } from '../archive/read-hook-input';
import type { ArchiveServer } from './archive-server';
import { type Digest, FileDigest } from './file-digest';
import { findProject } from './find-project';
import { readParts } from './read-parts';
import {
  type ArchiveContent,
  changed,
  type UploadedArchive,
  type UploadOptions,
  uploadArchive,
} from './upload-archive';
import { describeError, isUnsupported, UploadFailure } from './upload-failure';

export type EntryOutcome = {
  /** Project its session joins. */ project: string;
} /** The server has it all, read back and hashed. */ & (
  | ({ state: 'stored' } & UploadedArchive)
  /** For good, and noted so: the server will not take it, or its bytes are gone. */
  | { state: 'refused'; reason: string }
  /** It stays pending. `isServer`: the others would fare no better there. `isUnsupported`: it takes no archives at all. */
  | { state: 'waiting'; reason: string; isServer: boolean; isUnsupported: boolean }
);

export interface EntryUpload {
  server: ArchiveServer;
  /** Absolute. */
  configFolder: string;
  /** Name of this machine. */
  host: string;
  /** Project that all sessions join; null: each its own. */
  project: string | null;
  /** Project that a session is known to have joined. */
  projectOf?(session: string): string | undefined;
  options?: UploadOptions;
}

/** Never throws but the signal's reason: what does not work is the outcome. */
export async function uploadEntry(entry: ArchiveEntry, upload: EntryUpload): Promise<EntryOutcome> {
  const { server, configFolder, options = {} } = upload;
  const project = await findProject(entry, upload);
  // A disk that is full must not undo what the server has: the next run asks it and learns that.
  const note = (state: UploadState, fields: ArchiveNote) =>
    noteUpload(configFolder, entry.id, state, { project, ...fields }).catch(() => undefined);
  try {
    const content = await prepareEntry(entry, { ...upload, project });
    const uploaded = await uploadArchive(content, server, options);
    await note('done', { uploadedTo: server.url, uploadReason: null });
    return { project, state: 'stored', ...uploaded };
  } catch (error) {
    options.signal?.throwIfAborted();
    const reason = isUnsupported(error) ? 'this server takes no archives' : describeError(error);
    const isFinal = error instanceof UploadFailure && error.kind === 'final';
    await note(isFinal ? 'refused' : 'pending', { uploadReason: reason });
    if (isFinal) return { project, state: 'refused', reason };
    return {
      project,
      state: 'waiting',
      reason,
      isServer: error instanceof UploadFailure,
      isUnsupported: isUnsupported(error),
    };
  }
}

/**
 * Reads an archive through and says what it is.
 * @throws UploadFailure `final` where its bytes are not there any more; what the file system throws.
 */
export async function prepareEntry(
  entry: ArchiveEntry,
  { host, project, options }: { host: string; project: string; options?: UploadOptions },
): Promise<ArchiveContent> {
  const path = contentPath(entry);
  if (path === null || entry.session === null || entry.bytes === null) {
    const what = entry.session === null ? 'no session can be told' : 'there is no copy';
    throw new UploadFailure('final', what);
  }
  const digest = await digestFile(path, entry.bytes, options?.signal);
  if (digest.bytes !== entry.bytes || digest.sha256 !== entry.sha256) throw changed();
  const offer: ArchiveOffer = {
    archive: entry.id,
    project,
    session: entry.session,
    at: entry.at,
    trigger: knownTrigger(entry.trigger),
    version: entry.asOf,
    fileName: fileNameOf(entry.source ?? path),
    path,
    host,
    ...digest,
    ...(entry.boundary === undefined ? {} : { boundary: entry.boundary }),
  };
  return { offer, path };
}

/** Where the bytes of an archive lie: the copy, or of a completed one the beginning of the transcript itself. */
export function contentPath({ archive, asOf, source }: ArchiveEntry): string | null {
  return archive ?? (asOf === 'completed' ? source : null);
}

/** Of the first `bytes` bytes. @throws UploadFailure `final` where there is no such file; what the file system throws. */
export async function digestFile(path: string, bytes: number, signal?: AbortSignal): Promise<Digest> {
  try {
    const file = await openTranscript(path);
    try {
      const digest = new FileDigest();
      for await (const part of readParts(file, bytes, signal)) digest.add(part);
      return digest.digest();
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isGone = code === 'ENOENT' || code === 'ENOTDIR';
    if (isGone) throw new UploadFailure('final', 'the file was deleted before it was handed over');
    if (error instanceof NotAFileError) throw changed();
    throw error;
  }
}

const MAX_NAME_LENGTH = 255;

function fileNameOf(path: string): string {
  // Also where the client runs on another kind of system than this.
  const name = basename(path).split('\\').at(-1) ?? '';
  return name.replaceAll(/[\p{Cc}\p{Cs}]/gu, '\ufffd').slice(0, MAX_NAME_LENGTH) || 'transcript';
}
