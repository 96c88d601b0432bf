/** Uploads one archive of the index, and records the result there. */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { projectOf } from '../../../core/agents/fields';
import { ownIdOf } from '../../../core/agents/registry';
import { noteArchive, noteUpload } from '../archive/archive-index';
import type { ArchiveEntry } from '../archive/archive-types';
import { knownTrigger } from '../archive/read-hook-input';
import { digestFile, NotAFileError } from '../archive/transcript-file';
import { messageOf } from '../guard';
import { readMainProject, readSource } from '../transcripts/collect-sources';
import type { ArchiveEndpoints, ArchiveServer, UploadOptions } from './archive-server';
import { readSummary } from './find-boundaries';
import { changed, UploadFailure } from './retry';
import { type LocalOffer, type UploadedArchive, uploadArchive } from './upload-archive';

export type EntryOutcome = {
  project: string;
} & (
  | ({ state: 'stored' } & UploadedArchive)
  /**
   * `refused`: final. `waiting`: the upload stays pending. `isNews`: a new kind of failure. `failure` is null
   * if the failure did not come from the server.
   */
  | { state: 'refused' | 'waiting'; reason: string; failure: UploadFailure | null; isNews: boolean }
);

export interface EntryUpload {
  server: ArchiveServer;
  configFolder: string;
  host: string;
  /** Project that all sessions join; null: each session has its own project. */
  project: string | null;
  projectOf?(session: string): string | undefined;
  options?: UploadOptions;
}

/** Throws only the signal's reason: failures are the outcome. */
export async function uploadEntry(
  entry: ArchiveEntry,
  upload: EntryUpload,
  endpoints: ArchiveEndpoints,
  serverId: string,
): Promise<EntryOutcome> {
  const { server, configFolder, host, options = {} } = upload;
  const project = await findProject(entry, upload);
  // If the result is not recorded, the next run asks the server again.
  const record = (how: 'done' | 'refused', uploadReason: string | null) => {
    const note = { upload: how, url: server.url, at: new Date().toISOString() };
    const servers = { ...entry.servers, [serverId]: note };
    // If one server refuses the archive, another server may still have it.
    const state = how === 'refused' && entry.upload === 'done' ? 'done' : how;
    const uploadedTo = how === 'done' ? { uploadedTo: server.url } : {};
    const fields = { project, servers, ...uploadedTo, uploadReason, uploadCode: null };
    return noteUpload(configFolder, entry.id, state, fields).catch(() => undefined);
  };
  try {
    const offer = await prepareEntry(entry, { host, project, signal: options.signal });
    const uploaded = await uploadArchive(offer, endpoints, options);
    await record('done', null);
    return { project, state: 'stored', ...uploaded };
  } catch (error) {
    options.signal?.throwIfAborted();
    const failure = error instanceof UploadFailure ? error : null;
    const reason = messageOf(error);
    if (failure?.kind === 'final') {
      await record('refused', reason);
      return { project, state: 'refused', reason, failure, isNews: true };
    }
    const uploadCode = failure?.answer.code ?? null;
    // Keep the upload state: another process may have changed it.
    const fields = { project, uploadReason: reason, uploadCode };
    await noteArchive(configFolder, entry.id, fields).catch(() => undefined);
    const isNews = uploadCode === null || entry.uploadCode !== uploadCode;
    return { project, state: 'waiting', reason, failure, isNews };
  }
}

/** Verify an archive's bytes and describe it. @throws UploadFailure `final` if they changed; what the file system throws. */
async function prepareEntry(
  entry: ArchiveEntry,
  { host, project, signal }: { host: string; project: string; signal: AbortSignal | undefined },
): Promise<LocalOffer> {
  const path = contentPath(entry);
  if (path === null || entry.session === null || entry.bytes === null) {
    throw new UploadFailure('final', entry.session === null ? 'its session is unknown' : 'there is no copy');
  }
  const digest = await digestFile(path, entry.bytes, signal).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    const isGone = code === 'ENOENT' || code === 'ENOTDIR';
    if (isGone) throw new UploadFailure('final', 'the file was deleted before it was uploaded');
    throw error instanceof NotAFileError ? changed() : error;
  });
  if (digest.bytes !== entry.bytes || digest.sha256 !== entry.sha256) throw changed();
  const source = entry.source ?? path;
  const own = ownIdOf(entry.session);
  const endsAtCompaction = entry.asOf === 'completed' && entry.agent === undefined;
  return {
    archive: entry.id,
    project,
    session: own?.id ?? entry.session,
    client: own?.client ?? null,
    at: entry.at,
    trigger: knownTrigger(entry.trigger),
    version: entry.asOf,
    fileName: fileNameOf(source),
    path,
    host,
    ...digest,
    summary: endsAtCompaction ? await readSummary(source, entry.bytes, entry.boundary) : null,
    boundary: entry.boundary ?? null,
    agent: entry.agent ?? null,
  };
}

const MAX_NAME_LENGTH = 255;

function fileNameOf(path: string): string {
  // The client may run on Windows.
  const name = basename(path).split('\\').at(-1) ?? '';
  return name.replaceAll(/[\p{Cc}\p{Cs}]/gu, '\ufffd').slice(0, MAX_NAME_LENGTH) || 'transcript';
}

/** The file with an archive's bytes: the copy, or for a completed version the transcript itself. */
export function contentPath(entry: Pick<ArchiveEntry, 'archive' | 'asOf' | 'source'>): string | null {
  return entry.archive ?? (entry.asOf === 'completed' ? entry.source : null);
}

export async function isWantedAt(entry: ArchiveEntry, serverId: string): Promise<boolean> {
  const { state, upload, servers = {} } = entry;
  if (state !== 'stored' || upload === 'none' || servers[serverId] !== undefined) return false;
  if (upload === 'pending') return true;
  // One server refused the archive; this server may accept it.
  if (upload === 'refused') return Object.values(servers).some((note) => note.upload === 'refused');
  // Another server has the archive: skip it once its file is gone.
  const info = await stat(contentPath(entry) ?? '').catch(() => null);
  return info?.isFile() === true;
}

async function findProject(entry: ArchiveEntry, upload: EntryUpload): Promise<string> {
  const known = entry.project ?? upload.project ?? upload.projectOf?.(entry.session ?? '');
  return known ?? projectOfTranscript(entry.source, entry.cwd);
}

/** The project as `watch` and `import` derive it. Never throws. */
export async function projectOfTranscript(path: string | null, folder: string | null): Promise<string> {
  const source = path === null ? null : await readSource(path).catch(() => null);
  if (source !== null && (folder === null || source.identity.folder !== null)) return readMainProject(source);
  return projectOf(folder) ?? 'default';
}
