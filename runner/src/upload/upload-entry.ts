/** Uploads one archive of the index, and records the result there. */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ArchiveOffer } from '../../../core/api/transcripts';
import { noteArchive, noteUpload } from '../archive/archive-index';
import type { ArchiveEntry, UploadState } from '../archive/archive-types';
import { knownTrigger } from '../archive/read-hook-input';
import { readMainProject, readSource } from '../transcripts/collect-sources';
import { type ArchiveServer, changed, describeError, UploadFailure } from './archive-server';
import { digestFile } from './file-digest';
import { readSummary } from './read-summary';
import {
  type ArchiveContent,
  askServer,
  identifyServer,
  type UploadedArchive,
  type UploadOptions,
  uploadArchive,
} from './upload-archive';

export type EntryOutcome = {
  /** The session's project. */
  project: string;
} & (
  | ({ state: 'stored' } & UploadedArchive)
  /** For good: the server will not take it, or its bytes are gone. `isDeleted`: deleted on the server on purpose. */
  | { state: 'refused'; reason: string; isDeleted: boolean }
  /**
   * It stays pending. `isServer`: other archives would fail too. `isUnsupported`: the server takes no archives.
   * `isProjectFull`: archives of this project that are as large would fail too. `isNews`: it is the first such failure.
   */
  | {
      state: 'waiting';
      reason: string;
      isServer: boolean;
      isUnsupported: boolean;
      isProjectFull: boolean;
      isNews: boolean;
    }
);

export interface EntryUpload {
  server: ArchiveServer;
  /** Id of the server if it was asked already; null: it does not report one. */
  serverId?: string | null;
  /** Absolute. */
  configFolder: string;
  /** Name of this machine. */
  host: string;
  /** Project that all sessions join; null: one per session. */
  project: string | null;
  /** Known project of a session. */
  projectOf?(session: string): string | undefined;
  options?: UploadOptions;
}

/** Throws only the signal's reason: failures are the outcome. */
export async function uploadEntry(entry: ArchiveEntry, upload: EntryUpload): Promise<EntryOutcome> {
  const { server, configFolder, options = {} } = upload;
  const project = await findProject(entry, upload);
  let { serverId } = upload;
  // Failing to record the result is harmless: the next run asks the server again.
  const record = (how: 'done' | 'refused', uploadReason: string | null) => {
    const at = new Date().toISOString();
    const servers = {
      ...entry.servers,
      ...(serverId ? { [serverId]: { upload: how, url: server.url, at } } : {}),
    };
    // A refusal by one server does not change that another one has it.
    const state = how === 'refused' && entry.upload === 'done' ? 'done' : how;
    const uploadedTo = how === 'done' ? { uploadedTo: server.url } : {};
    const fields = { project, servers, ...uploadedTo, uploadReason, uploadCode: null };
    return noteUpload(configFolder, entry.id, state, fields).catch(() => undefined);
  };
  try {
    // Before a long file is read.
    if (serverId === undefined) serverId = await identifyServer(server, options);
    const known = entry.upload === 'done' ? await askServer(entry.id, server, options.signal) : null;
    const uploaded: UploadedArchive =
      known?.state === 'stored'
        ? { id: known.id, verifiedAt: known.verifiedAt, sent: { chunks: 0, bytes: 0, compressedBytes: 0 } }
        : await uploadArchive(await prepareEntry(entry, { ...upload, project }), server, options);
    await record('done', null);
    return { project, state: 'stored', ...uploaded };
  } catch (error) {
    options.signal?.throwIfAborted();
    const failure = error instanceof UploadFailure ? error : null;
    const reason = failure?.isUnsupported ? 'this server takes no archives' : describeError(error);
    if (failure?.kind === 'final') {
      await record('refused', reason);
      return { project, state: 'refused', reason, isDeleted: failure.status === 410 };
    }
    const uploadCode = failure?.code ?? null;
    // The upload state is left alone: another process may have completed it meanwhile.
    const fields = { project, uploadReason: reason, uploadCode };
    await noteArchive(configFolder, entry.id, fields).catch(() => undefined);
    const isProjectFull = failure?.isProjectFull ?? false;
    return {
      project,
      state: 'waiting',
      reason,
      isServer: failure !== null && !isProjectFull,
      isUnsupported: failure?.isUnsupported ?? false,
      isProjectFull,
      isNews: uploadCode === null || entry.uploadCode !== uploadCode,
    };
  }
}

/**
 * Read an archive through and describe it.
 * @throws UploadFailure `final` if its bytes are gone; what the file system throws.
 */
async function prepareEntry(
  entry: ArchiveEntry,
  { host, project, options }: { host: string; project: string; options?: UploadOptions },
): Promise<ArchiveContent> {
  const path = contentPath(entry);
  if (path === null || entry.session === null || entry.bytes === null) {
    throw new UploadFailure('final', entry.session === null ? 'its session is unknown' : 'there is no copy');
  }
  const digest = await digestFile(path, entry.bytes, options?.signal);
  if (digest.bytes !== entry.bytes || digest.sha256 !== entry.sha256) throw changed();
  const endsAtCompaction = entry.asOf === 'completed' && entry.agent === undefined;
  const summary = endsAtCompaction
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
  // The client may run on Windows.
  const name = basename(path).split('\\').at(-1) ?? '';
  return name.replaceAll(/[\p{Cc}\p{Cs}]/gu, '\ufffd').slice(0, MAX_NAME_LENGTH) || 'transcript';
}

/** The file with an archive's bytes: the copy, or for a completed version the transcript itself. */
export function contentPath({
  archive,
  asOf,
  source,
}: Pick<ArchiveEntry, 'archive' | 'asOf' | 'source'>): string | null {
  return archive ?? (asOf === 'completed' ? source : null);
}

/**
 * An archive's upload state at one server.
 * @param server id of the server; null: it does not report one.
 */
function uploadStateAt(entry: ArchiveEntry, server: string | null): UploadState {
  if (entry.state !== 'stored' || entry.upload === 'none') return 'none';
  if (server === null) return entry.upload;
  const noted = entry.servers?.[server];
  if (noted !== undefined) return noted.upload;
  if (entry.upload !== 'refused') return 'pending';
  // Another server may accept what one refused; unreadable bytes are refused everywhere.
  const isRefusedBySome = Object.values(entry.servers ?? {}).some(({ upload }) => upload === 'refused');
  return isRefusedBySome ? 'pending' : 'refused';
}

/** Whether to upload it to that server now. Archives of other servers are skipped once their file is gone. */
export async function isWantedAt(entry: ArchiveEntry, server: string | null): Promise<boolean> {
  if (uploadStateAt(entry, server) !== 'pending') return false;
  if (entry.upload !== 'done') return true;
  const path = contentPath(entry);
  const info = path === null ? null : await stat(path).catch(() => null);
  return info?.isFile() === true;
}

/** The project that an archive's session joins, the same as that of its items. Never throws. */
async function findProject(entry: ArchiveEntry, upload: EntryUpload): Promise<string> {
  const known = entry.project ?? upload.project ?? upload.projectOf?.(entry.session ?? '');
  return known ?? projectOfTranscript(entry.source, entry.cwd);
}

/** The project as `watch` and `import` derive it. Never throws. */
export async function projectOfTranscript(path: string | null, folder: string | null): Promise<string> {
  const source = path === null ? null : await readSource(path).catch(() => null);
  if (source !== null) return readMainProject(source);
  return (folder === null ? '' : basename(folder)) || 'default';
}
