/**
 * Continues a hook's work after archiving: uploads, waits for the compaction's own line or a refusal, records and
 * reports the result, uploads again. If the process ends earlier, the archive stays open in the index, and the next
 * hook of the session follows it. Uploads also wait for `barograph watch`, `import` or `archives upload`.
 */
import { present } from '../../../core/agents/fields';
import type { Logger } from '../logger';
import { awaitBoundary, BOUNDARY_PATIENCE } from '../upload/await-boundary';
import { type PendingUpload, uploadPending } from '../upload/upload-pending';
import type { UploadPermission } from '../upload/upload-permission';
import { noteArchive, readArchiveIndex } from './archive-index';
import { archiveIdOf } from './archive-names';
import { locateTranscript } from './archive-transcript';
import type { ArchiveEntry, ArchiveSession } from './archive-types';
import { type HookInput, knownTrigger } from './read-hook-input';
import { refusalFields, refusalOf } from './report-archive';

export interface HookFollowUp {
  input: HookInput;
  entry: ArchiveEntry;
  session: ArchiveSession;
  /** `isLast`: after this wait, a compaction without a line counts as failed. Default: `BOUNDARY_PATIENCE`, true. */
  waits?: { patienceMs: number; isLast: boolean };
  project: string;
  configFolder: string;
  /** False: no text written by users or models may be sent. */
  content: boolean;
  permission: UploadPermission;
  upload: Omit<PendingUpload, 'server' | 'configFolder' | 'onOutcome'>;
  sessionOf(key: string): ArchiveSession;
  logger: Logger;
}

export async function followCompaction(followUp: HookFollowUp): Promise<void> {
  const { input, entry, session, project, configFolder, content, permission, upload, logger } = followUp;
  const { patienceMs, isLast } = followUp.waits ?? { ...BOUNDARY_PATIENCE, isLast: true };
  if (entry.state !== 'stored' || entry.source === null) return;
  await uploadArchives(followUp);
  // Sub-agents have their own files, without the session's compactions.
  if (input.agentId !== null) return;
  const trigger = knownTrigger(entry.trigger);
  const outcome = await awaitBoundary(
    {
      path: locateTranscript(entry.source, input.cwd),
      after: entry.bytes ?? 0,
      session: session.key,
      clientSessionId: input.sessionId === 'unknown' ? null : input.sessionId,
      folder: input.cwd,
      project,
      configFolder,
      now: Date.parse(entry.at),
      isNoted: permission.allowed,
    },
    { ...BOUNDARY_PATIENCE, patienceMs, isUnref: upload.options?.isUnref },
  );
  if (outcome.type === 'compacted') {
    const { id, at, preTokens, postTokens, durationMs } = outcome.boundary;
    await noteArchive(configFolder, entry.id, { boundary: id ?? 'unnamed' }).catch(() => undefined);
    const figures = present({ boundary: id, at, preTokens, postTokens, durationMs });
    if (trigger !== null) session.compaction({ trigger, state: 'confirmed', ...figures });
    return uploadArchives(followUp);
  }
  const { type, reason: cause, message } = outcome;
  if (type === 'open' && !isLast) return;
  const full = message === undefined ? cause : `${cause}: ${message}`;
  await noteArchive(configFolder, entry.id, { uncompacted: full }).catch(() => undefined);
  logger.warn(`PreCompact: the compaction did not happen: ${full}`, { archive: entry.id });
  const reason = content ? full : cause;
  const at = Date.now();
  const state = type === 'blocked' ? type : 'failed';
  if (trigger !== null) session.compaction({ trigger, state, reason, at });
  session.archive({
    state: 'skipped',
    version: 'completed',
    archive: archiveIdOf(project, session.key, `uncompacted ${entry.id}`),
    reason: `the compaction did not happen: ${reason}`,
    at,
    ...(trigger === null ? {} : { trigger }),
  });
}

/** The session's stored hook archives for compactions without a known outcome, oldest first. */
export async function findOpen(configFolder: string, session: string): Promise<ArchiveEntry[]> {
  const { entries } = await readArchiveIndex(configFolder);
  return entries.filter(
    ({ asOf, state, agent, uncompacted, boundary, ...entry }) =>
      entry.session === session &&
      asOf === 'hook' &&
      state === 'stored' &&
      (agent ?? uncompacted ?? boundary) === undefined,
  );
}

async function uploadArchives(followUp: HookFollowUp): Promise<void> {
  const { permission, upload, configFolder, sessionOf, logger } = followUp;
  if (!permission.allowed) return;
  const { reason } = await uploadPending({
    ...upload,
    server: permission.server,
    configFolder,
    onOutcome: (archive, outcome) => {
      const refusal = refusalOf(outcome);
      if (refusal !== null && archive.session !== null) {
        sessionOf(archive.session).archive(refusalFields(archive, refusal, Date.now()));
      }
      if (outcome.state === 'refused') logger.warn(`PreCompact: not uploaded: ${outcome.reason}`, {});
    },
  });
  if (reason !== null) logger.warn(`PreCompact: not uploaded yet: ${reason}`, {});
}
