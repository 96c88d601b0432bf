/** Uploads of archives, shared by `import`, `watch` and `archives`. */
import type { ArchiveIndex } from '../archive/archive-index';
import type { ArchiveEntry } from '../archive/archive-types';
import { recoverIndex } from '../archive/list-archives';
import { refusalFields, refusalOf } from '../archive/report-archive';
import { messageOf } from '../guard';
import { isCompressed } from '../transcripts/compressed-files';
import { isDatabase } from '../transcripts/database-sources';
import type { FeedStore } from '../transcripts/feed-store';
import { type ClientPool, identityOf } from '../transcripts/project-clients';
import type { TranscriptDestination } from '../transcripts/send-transcript';
import { archiveRows } from '../upload/archive-rows';
import { completeArchives } from '../upload/complete-archives';
import type { EntryOutcome, EntryUpload } from '../upload/upload-entry';
import { type PendingSummary, type PendingUpload, uploadPending } from '../upload/upload-pending';
import { uploadPermission } from '../upload/upload-permission';
import type { CommandContext, Output } from './command';
import { type ConnectedSettings, configFolderFor } from './connection';
import { formatBytes, formatCount } from './output';

export type PreparedUpload = { allowed: true; upload: EntryUpload } | { allowed: false; reason: string };

export function prepareUpload(
  settings: ConnectedSettings,
  { values }: CommandContext,
  store?: FeedStore,
): PreparedUpload {
  const permission = uploadPermission(settings);
  if (!permission.allowed) return permission;
  const { host, project } = settings;
  const upload: EntryUpload = {
    server: permission.server,
    configFolder: configFolderFor(values),
    host,
    project,
    ...(store === undefined ? {} : { projectOf: (session) => store.projectOf(session) }),
  };
  return { allowed: true, upload };
}

/** Adds the completed archives of a transcript to the index. Never rejects. */
export function noteCompleted(
  prepared: PreparedUpload,
  { out, now: clock }: CommandContext,
): NonNullable<TranscriptDestination['onCompaction']> {
  return async ({ path, identity }, project, after, compactions) => {
    if (!prepared.allowed) return;
    const { configFolder } = prepared.upload;
    const { session, clientSessionId, folder, chain: agent } = identity;
    const about = { configFolder, now: clock(), session, clientSessionId, project };
    try {
      const request = { ...about, path, folder, agent, after };
      if (isDatabase(path) || isCompressed(path)) await archiveRows(request, compactions);
      else await completeArchives(request);
    } catch (error) {
      out.problem(`${path}: ${messageOf(error)}`);
    }
  };
}

export async function reportRefusal(
  clients: ClientPool,
  entry: ArchiveEntry,
  outcome: EntryOutcome,
  now: number,
): Promise<void> {
  const { session } = entry;
  const reason = refusalOf(outcome);
  if (reason === null || session === null) return;
  const client = await clients.of(identityOf(session, outcome.project, 'name'));
  client.send({ type: 'archive', session, ...refusalFields(entry, reason, now) });
}

export function nameOf({ session, clientSessionId, at, asOf, agent }: ArchiveEntry): string {
  const version = asOf === 'completed' ? 'completed' : 'at the hook';
  const owner = agent === undefined ? '' : `, sub-agent ${agent}`;
  return `${session ?? clientSessionId}${owner}, ${at}, ${version}`;
}

/** The damage of the index that `barograph archives verify` has not reported yet; null: none. */
export function describeDamage({ unreadable, recovered }: ArchiveIndex): string | null {
  const parts = [
    ...(unreadable > 0 ? [formatCount(unreadable, 'unreadable line')] : []),
    ...(recovered > 0 ? [`${formatCount(recovered, 'archive')} without a line, found on disk`] : []),
  ];
  return parts.length > 0 ? parts.join(', ') : null;
}

/** Upload pending archives with a progress line. @returns the summary; null if interrupted. */
export async function uploadArchives(
  upload: EntryUpload & Pick<PendingUpload, 'isWanted'>,
  clients: ClientPool,
  { out, signal, now }: CommandContext,
  patienceMs: number,
): Promise<PendingSummary | null> {
  let place = '';
  try {
    await recoverIndex(upload.configFolder);
    return await uploadPending({
      ...upload,
      options: {
        signal,
        timing: { patienceMs },
        onProgress: ({ bytes, totalBytes }) =>
          out.progress(`archive ${place}: ${formatBytes(bytes)} of ${formatBytes(totalBytes)}`),
        onPause: (reason) => out.progress(`archive ${place}: ${reason}; retrying`),
      },
      onBegin: (_entry, index, total) => {
        place = `${index + 1} of ${total}`;
        out.progress(`archive ${place}`);
      },
      onOutcome: async (entry, outcome) => {
        if (outcome.state !== 'stored') out.problem(`not uploaded: ${nameOf(entry)}: ${outcome.reason}`);
        await reportRefusal(clients, entry, outcome, now());
      },
    });
  } catch (error) {
    if (!signal.aborted) throw error;
    return null;
  } finally {
    out.progress(null);
  }
}

export function printArchives(out: Output, summary: PendingSummary): void {
  const { stored, refused, waiting, bytes, sentBytes } = summary;
  if (stored > 0) {
    const size = `${formatBytes(bytes)}, ${formatBytes(sentBytes)} of them new to the server`;
    out.line(`Uploaded ${formatCount(stored, 'archive')} (${size}).`);
  }
  if (refused > 0) out.problem(`${formatCount(refused, 'archive')} refused by the server.`);
  if (waiting === 0) return;
  const reason = (summary.reason ?? '').replace(/\.$/, '');
  out.problem(`${formatCount(waiting, 'archive')} still to upload: ${reason}.`);
}

export function isComplete({ refused, waiting }: PendingSummary): boolean {
  return refused === 0 && waiting === 0;
}
