/**
 * Follows a hook once its transcript is archived: upload, wait for the compaction's own line or a refusal, record or
 * report the result, upload again. If the process ends earlier, the rest stays pending in the index for the next hook,
 * `barograph watch`, `import` or `archives upload`.
 */
import type { Logger } from '../logger';
import { awaitBoundary, BOUNDARY_PATIENCE } from '../upload/await-boundary';
import { type PendingUpload, uploadPending } from '../upload/upload-pending';
import { noteArchive } from './archive-index';
import { locateTranscript } from './archive-transcript';
import type { ArchiveEntry, ArchiveSession } from './archive-types';
import type { HookInput } from './read-hook-input';
import { reasonOf, refusalFields, refusalOf, uncompactedFields } from './report-archive';

export interface HookFollowUp {
  input: HookInput;
  entry: ArchiveEntry;
  session: ArchiveSession;
  project: string;
  configFolder: string;
  /** False: no text of people or models may be sent. */
  content: boolean;
  /** How to upload pending archives; null if they must stay on this machine. */
  upload: Omit<PendingUpload, 'configFolder' | 'onOutcome'> | null;
  sessionOf(key: string): ArchiveSession;
  /** The process may end meanwhile. */
  isUnref?: boolean;
  logger: Logger;
}

export async function followCompaction(followUp: HookFollowUp): Promise<void> {
  const { input, entry, session, project, configFolder, content, upload, logger } = followUp;
  if (entry.state !== 'stored' || entry.source === null) return;
  await uploadArchives(followUp);
  // Sub-agents have their own files, without the session's compactions.
  if (input.agentId !== null) return;
  const uncompacted = await awaitBoundary(
    {
      path: locateTranscript(entry.source, input.cwd),
      after: entry.bytes ?? 0,
      session: session.key,
      clientSessionId: input.sessionId === 'unknown' ? null : input.sessionId,
      folder: input.cwd,
      project,
      configFolder,
      now: Date.parse(entry.at),
      isNoted: upload !== null,
    },
    { ...BOUNDARY_PATIENCE, isUnref: followUp.isUnref },
  );
  if (uncompacted === null) return uploadArchives(followUp);
  const reason = reasonOf(uncompacted, true);
  await noteArchive(configFolder, entry.id, { uncompacted: reason }).catch(() => undefined);
  logger.warn(`PreCompact: the compaction did not happen: ${reason}`, { archive: entry.id });
  const about = { project, session: session.key, content, at: Date.now() };
  const { compaction, archive } = uncompactedFields(entry, uncompacted, about);
  if (compaction !== null) session.compaction(compaction);
  session.archive(archive);
}

async function uploadArchives({ upload, configFolder, sessionOf, logger }: HookFollowUp): Promise<void> {
  if (upload === null) return;
  const { reason } = await uploadPending({
    ...upload,
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
