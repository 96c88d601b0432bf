/**
 * Removes copies on this machine, and only when told: what is to go has to be named by age or by its being on the
 * server, it is shown first, and a copy that is the only one stays unless its owner insists.
 */
import { unlink } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { type ListedArchive, noteArchive } from '../../archive/archive-index';
import { runsFolder } from '../../archive/private-folders';
import type { ArchiveServer } from '../../upload/archive-server';
import { type CommandContext, UsageError } from '../command';
import { configFolderFor, readOrExplain } from '../connection';
import { formatBytes, formatCount } from '../output';
import { checkCopy, checkOnServer, serverToAsk } from './check-archive';
import { ageValue, selectArchives } from './select-archives';

export async function pruneCommand(context: CommandContext): Promise<number> {
  const { values, out, signal, now } = context;
  const ageMs = ageValue(values, 'older-than');
  if (ageMs === null && values.uploaded !== true) {
    throw new UsageError('barograph archives prune needs --older-than AGE, --uploaded, or both.');
  }
  const configFolder = configFolderFor(values);
  const server = serverToAsk(readOrExplain(values));
  const candidates = (await selectArchives(context)).filter(
    (archive) =>
      archive.isThere &&
      isOurs(archive, configFolder) &&
      (ageMs === null || Date.parse(archive.at) < now() - ageMs) &&
      (values.uploaded !== true || archive.upload === 'done'),
  );
  const removed = { copies: 0, bytes: 0 };
  let kept = 0;
  for (const archive of candidates) {
    if (signal.aborted) return 130;
    const reason = values.force === true ? null : await whyKept(archive, server, signal);
    if (reason !== null) {
      kept += 1;
      out.problem(`kept: ${archive.archive}: ${reason}`);
      continue;
    }
    if (values.yes === true) await remove(archive, configFolder, now());
    out.line(`${values.yes === true ? 'removed' : 'would remove'}: ${archive.archive}`);
    removed.copies += 1;
    removed.bytes += archive.bytes ?? 0;
  }
  const amount = `${formatCount(removed.copies, 'copy', 'copies')} (${formatBytes(removed.bytes)})`;
  const rest = kept > 0 ? `, kept ${kept}` : '';
  if (values.yes === true) out.line(`Removed ${amount}${rest}.`);
  else out.line(`Would remove ${amount}${rest}. Nothing was touched: --yes removes them.`);
  return 0;
}

/** The index is a file that people may edit: nothing is removed but what lies where archives lie. */
function isOurs({ archive }: ListedArchive, configFolder: string): boolean {
  if (archive === null) return false;
  const [repo = '', folder, name, ...rest] = relative(runsFolder(configFolder), archive).split(sep);
  return repo !== '..' && folder === 'archives' && name !== undefined && rest.length === 0;
}

async function whyKept(
  archive: ListedArchive,
  server: ArchiveServer | null,
  signal: AbortSignal,
): Promise<string | null> {
  if (archive.upload !== 'done') return 'no server has it';
  if ((await checkCopy(archive)) !== 'intact') return 'it is no longer what was archived';
  const check = await checkOnServer(archive, server, signal);
  if (check === null) return 'no server is known that could be asked';
  if (check.state === 'stored') return null;
  return check.state === 'lacking'
    ? `the server does not have it: ${check.reason}`
    : `the server could not be asked: ${check.reason}`;
}

async function remove({ archive, id }: ListedArchive, configFolder: string, now: number): Promise<void> {
  if (archive === null) return;
  await unlink(archive);
  await noteArchive(configFolder, id, { prunedAt: new Date(now).toISOString() });
}
