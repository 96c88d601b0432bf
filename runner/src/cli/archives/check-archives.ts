/** `barograph archives verify` and `prune`: both check the local copies and ask the server. */
import { unlink } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { type ArchiveIndex, noteArchive, noteReported, noteUpload } from '../../archive/archive-index';
import { runsFolder } from '../../archive/archive-names';
import type { ListedArchive } from '../../archive/list-archives';
import { type ArchiveCheck, verifyArchive, verifyFile } from '../../archive/verify-archive';
import type { ArchiveServer } from '../../upload/archive-server';
import { askServer, type ServerCheck } from '../../upload/upload-archive';
import { contentPath } from '../../upload/upload-entry';
import { uploadPermission } from '../../upload/upload-permission';
import { type CommandContext, numberValue, UsageError, type Values } from '../command';
import { configFolderFor, readOrExplain } from '../connection';
import { formatBytes, formatCount } from '../output';
import { nameOf } from '../upload-archives';

const DAY_MS = 24 * 3_600_000;

/** `pruned`: `barograph archives prune` removed the copy. */
type LocalCheck = ArchiveCheck | 'pruned';

const HERE_FAULTS: Readonly<Record<LocalCheck, string | null>> = {
  intact: null,
  pruned: null,
  changed: 'its file changed after it was archived',
  missing: 'its file is missing',
  unreadable: 'its file cannot be read',
};

export async function verifyCommand(
  { values, out, signal }: CommandContext,
  listed: readonly ListedArchive[],
  { unreadable, recovered }: ArchiveIndex,
): Promise<number> {
  const server = serverToAsk(values);
  const archives = listed.filter(({ state }) => state === 'stored');
  const damage = unreadable + recovered;
  const counts = { intact: 0, stored: 0, faults: damage };
  for (const [index, archive] of archives.entries()) {
    if (signal.aborted) return 130;
    out.progress(`${index + 1} of ${archives.length}`);
    const here = await checkCopy(archive);
    const there = await checkOnServer(archive, server, signal).catch(() => null);
    if (here === 'intact') counts.intact += 1;
    if (there?.state === 'stored') counts.stored += 1;
    const fault = faultOf(archive, here, there);
    if (fault === null) continue;
    counts.faults += 1;
    let remedy = '';
    if (there?.state === 'lacking' && here === 'intact') {
      await noteUpload(configFolderFor(values), archive.id, 'pending', { servers: {} });
      remedy = '; barograph archives upload sends it again';
    }
    out.problem(`${nameOf(archive)}: ${fault}${remedy}`);
  }
  out.progress(null);
  const checked = `${counts.intact} intact here, ${counts.stored} complete on the server`;
  out.line(`${formatCount(archives.length, 'archive')}: ${checked}, ${formatCount(counts.faults, 'fault')}.`);
  if (damage > 0) await noteReported(configFolderFor(values)).catch(() => undefined);
  return counts.faults > 0 ? 1 : 0;
}

/** Without `--force`, a copy stays unless it is intact and the server has it. */
export async function pruneCommand(
  { values, out, signal, now }: CommandContext,
  listed: readonly ListedArchive[],
): Promise<number> {
  const days = numberValue(values, 'older-than', 0, 100_000);
  if (days === undefined && values.uploaded !== true) {
    throw new UsageError('barograph archives prune needs --older-than DAYS, --uploaded, or both.');
  }
  const configFolder = configFolderFor(values);
  const server = serverToAsk(values);
  const candidates = listed.filter(
    (archive) =>
      archive.isThere &&
      isOurs(archive, configFolder) &&
      (days === undefined || Date.parse(archive.at) < now() - days * DAY_MS) &&
      (values.uploaded !== true || archive.upload === 'done'),
  );
  const removes = values.yes === true;
  let copies = 0;
  let bytes = 0;
  for (const archive of candidates) {
    if (signal.aborted) return 130;
    const reason = values.force === true ? null : await whyKept(archive, server, signal);
    if (reason !== null) {
      out.problem(`kept: ${archive.archive}: ${reason}`);
      continue;
    }
    if (removes && archive.archive !== null) {
      await unlink(archive.archive);
      await noteArchive(configFolder, archive.id, { prunedAt: new Date(now()).toISOString() });
    }
    out.line(`${removes ? 'removed' : 'would remove'}: ${archive.archive}`);
    copies += 1;
    bytes += archive.bytes ?? 0;
  }
  const kept = candidates.length - copies;
  const amount = `${formatCount(copies, 'copy', 'copies')} (${formatBytes(bytes)})${kept > 0 ? `, kept ${kept}` : ''}`;
  if (removes) out.line(`Removed ${amount}.`);
  else out.line(`Would remove ${amount}. Nothing was removed: add --yes to remove them.`);
  return 0;
}

async function checkCopy(archive: ListedArchive): Promise<LocalCheck> {
  if (archive.prunedAt !== undefined && !archive.isThere) return 'pruned';
  if (archive.asOf === 'hook') return verifyArchive(archive);
  return verifyFile(contentPath(archive), archive, archive.bytes ?? 0);
}

/** The known server, or null. A check sends only ids, so it does not need the permission to upload. */
function serverToAsk(values: Values): ArchiveServer | null {
  const permission = uploadPermission({ ...readOrExplain(values), content: true, uploadArchives: 'on' });
  return permission.allowed ? permission.server : null;
}

async function checkOnServer(
  { id, upload, uploadedTo }: ListedArchive,
  server: ArchiveServer | null,
  signal: AbortSignal,
): Promise<ServerCheck | null> {
  if (upload !== 'done' || server === null) return null;
  const check = await askServer(id, server, signal);
  if (check.state !== 'lacking' || uploadedTo === undefined || uploadedTo === server.url) return check;
  return { state: 'unknown', reason: `it was uploaded to ${uploadedTo}` };
}

function serverFault(check: ServerCheck): string | null {
  if (check.state === 'stored') return null;
  const what = check.state === 'lacking' ? 'the server does not have it' : 'the server could not be asked';
  return `${what}: ${check.reason}`;
}

function faultOf(archive: ListedArchive, here: LocalCheck, server: ServerCheck | null): string | null {
  const fault = server === null ? null : serverFault(server);
  // A client may delete its transcript; the server keeps the archive.
  const isSafe = server?.state === 'stored' && archive.asOf === 'completed';
  if (fault !== null || isSafe) return fault;
  return HERE_FAULTS[here] && `${HERE_FAULTS[here]}: ${archive.archive ?? archive.source ?? ''}`;
}

async function whyKept(
  archive: ListedArchive,
  server: ArchiveServer | null,
  signal: AbortSignal,
): Promise<string | null> {
  if (archive.upload !== 'done') return 'no server has it';
  const here = await checkCopy(archive);
  if (here !== 'intact') return HERE_FAULTS[here];
  const check = await checkOnServer(archive, server, signal);
  return check === null ? 'no server is known' : serverFault(check);
}

/** Users may edit the index, so `prune` removes only files inside the archive folders. */
function isOurs({ archive }: ListedArchive, configFolder: string): boolean {
  if (archive === null) return false;
  const [repo = '', folder, name, ...rest] = relative(runsFolder(configFolder), archive).split(sep);
  return repo !== '..' && folder === 'archives' && name !== undefined && rest.length === 0;
}
