/** What can be said of one archive: of its bytes here, and of what the server has. */
import type { ListedArchive } from '../../archive/archive-index';
import { type ArchiveCheck, verifyArchive } from '../../archive/verify-archive';
import type { RunnerSettings } from '../../settings';
import type { ArchiveServer } from '../../upload/archive-server';
import { contentPath } from '../../upload/content-path';
import { digestFile } from '../../upload/digest-file';
import { askServer, type ServerCheck } from '../../upload/upload-archive';
import { UploadFailure } from '../../upload/upload-failure';
import { uploadPermission } from '../../upload/upload-permission';

/** `pruned`: removed on purpose. The others as `ArchiveCheck`. */
export type LocalCheck = ArchiveCheck | 'pruned';

export async function checkCopy(archive: ListedArchive): Promise<LocalCheck> {
  if (archive.prunedAt !== undefined && !archive.isThere) return 'pruned';
  if (archive.asOf === 'hook') return verifyArchive(archive);
  const path = contentPath(archive);
  if (path === null) return 'missing';
  try {
    const { bytes, sha256 } = await digestFile(path, archive.bytes ?? 0);
    return bytes === archive.bytes && sha256 === archive.sha256 ? 'intact' : 'changed';
  } catch (error) {
    return error instanceof UploadFailure ? 'missing' : 'unreadable';
  }
}

/** Whom to ask: the local server with its own token; any other as it is called. Null: none is known. */
export function serverToAsk(settings: RunnerSettings): ArchiveServer | null {
  // To ask is not to hand over: it says nothing but an id.
  const permission = uploadPermission({ ...settings, content: true, uploadArchives: 'on' });
  return permission.allowed ? permission.server : null;
}

/** Null: it was never handed over, or there is nobody to ask. */
export async function checkOnServer(
  archive: ListedArchive,
  server: ArchiveServer | null,
  signal: AbortSignal,
): Promise<ServerCheck | null> {
  if (archive.upload !== 'done' || server === null) return null;
  const check = await askServer(archive.id, server, signal);
  const { uploadedTo } = archive;
  if (check.state !== 'lacking' || uploadedTo === undefined || uploadedTo === server.url) return check;
  return { state: 'unknown', reason: `it was handed over to ${uploadedTo}` };
}
