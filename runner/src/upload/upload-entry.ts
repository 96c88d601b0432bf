/** Hands over one archive of the index, and notes there what became of it. */
import { basename } from 'node:path';
import type { ArchiveOffer } from '../../../core/api/transcripts';
import { noteArchive, noteUpload } from '../archive/archive-index';
import type { ArchiveEntry } from '../archive/archive-types';
import { knownTrigger } from '../archive/read-hook-input';
import type { ArchiveServer } from './archive-server';
import { contentPath } from './content-path';
import { digestFile } from './digest-file';
import { findProject } from './find-project';
import { readSummary } from './read-summary';
import {
  type ArchiveContent,
  findUploaded,
  identifyServer,
  type UploadedArchive,
  type UploadOptions,
  uploadArchive,
} from './upload-archive';
import {
  changed,
  describeError,
  isDeletedThere,
  isPassing,
  isProjectFull,
  isUnsupported,
  UploadFailure,
} from './upload-failure';
import { endAt } from './upload-state';

export type EntryOutcome = {
  /** Project its session joins. */ project: string;
} /** The server has it all, read back and hashed. */ & (
  | ({ state: 'stored' } & UploadedArchive)
  /**
   * For good, and noted so: the server will not take it, or its bytes are gone. `isDeleted`: the server had it and
   * deleted it, and needs no telling.
   */
  | { state: 'refused'; reason: string; isDeleted: boolean }
  /**
   * It stays pending. `isServer`: the others would fare no better there. `isPassing`: it may work in a moment, with nobody
   * doing anything, as with a server that was killed. `isUnsupported`: it takes no archives at all.
   * `isProjectFull`: those of its project, as large or larger, would fare no better now; `isNews`: it is the first time.
   */
  | {
      state: 'waiting';
      reason: string;
      isServer: boolean;
      isPassing: boolean;
      isUnsupported: boolean;
      isProjectFull: boolean;
      isNews: boolean;
    }
);

export interface EntryUpload {
  server: ArchiveServer;
  /** Id of the server, where it was asked already; null: it does not say. */
  serverId?: string | null;
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
  const { now = Date.now } = options;
  const { url } = server;
  const project = await findProject(entry, upload);
  let serverId = upload.serverId;
  // A disk that is full must not undo what the server has: the next run asks it and learns that.
  const end = (how: 'done' | 'refused', uploadReason: string | null) => {
    const { upload: state, ...noted } = endAt(entry, serverId ?? null, { upload: how, url }, now());
    const uploadedTo = how === 'done' ? { uploadedTo: url } : {};
    const fields = { project, ...noted, ...uploadedTo, uploadReason, uploadCode: null };
    return noteUpload(configFolder, entry.id, state, fields).catch(() => undefined);
  };
  try {
    // Asked before a long file is read for it.
    if (serverId === undefined) serverId = await identifyServer(server, options);
    const known = entry.upload === 'done' ? await findUploaded(entry.id, server, options.signal) : null;
    const uploaded =
      known ?? (await uploadArchive(await prepareEntry(entry, { ...upload, project }), server, options));
    await end('done', null);
    return { project, state: 'stored', ...uploaded };
  } catch (error) {
    options.signal?.throwIfAborted();
    const reason = isUnsupported(error) ? 'this server takes no archives' : describeError(error);
    if (error instanceof UploadFailure && error.kind === 'final') {
      await end('refused', reason);
      return { project, state: 'refused', reason, isDeleted: isDeletedThere(error) };
    }
    const uploadCode = error instanceof UploadFailure ? error.code : null;
    // No word of how far it is: another process may have brought it there meanwhile.
    const fields = { project, uploadReason: reason, uploadCode };
    await noteArchive(configFolder, entry.id, fields).catch(() => undefined);
    return {
      project,
      state: 'waiting',
      reason,
      isServer: error instanceof UploadFailure && !isProjectFull(error),
      isPassing: isPassing(error),
      isUnsupported: isUnsupported(error),
      isProjectFull: isProjectFull(error),
      isNews: uploadCode === null || entry.uploadCode !== uploadCode,
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
  // A sub-agent's own file ends nowhere in particular.
  const isUpToCompaction = entry.asOf === 'completed' && entry.agent === undefined;
  const summary = isUpToCompaction
    ? await readSummary(entry.source ?? path, entry.bytes, entry.boundary)
    : null;
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
    ...(summary === null ? {} : { summary }),
    ...(entry.boundary === undefined ? {} : { boundary: entry.boundary }),
    ...(entry.agent === undefined ? {} : { agent: entry.agent }),
  };
  return { offer, path };
}

const MAX_NAME_LENGTH = 255;

function fileNameOf(path: string): string {
  // Also where the client runs on another kind of system than this.
  const name = basename(path).split('\\').at(-1) ?? '';
  return name.replaceAll(/[\p{Cc}\p{Cs}]/gu, '\ufffd').slice(0, MAX_NAME_LENGTH) || 'transcript';
}
