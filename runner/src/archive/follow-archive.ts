/**
 * What the hook callback does beside the agent's work and in its process, once the transcript is archived: archives its
 * sub-agents' files, hands all of it over, and sees what becomes of the compaction: its own line, which makes the
 * completed archive, or a refusal, which is told. None of its waiting keeps the process alive; what an agent that ends
 * leaves behind is pending in the index, for `barograph watch` or `barograph archives upload`.
 */
import type { Logger } from '../logger';
import { readUploadSettings, type UploadChoice } from '../settings';
import { awaitBoundary, BOUNDARY_PATIENCE, type BoundaryPatience } from '../upload/await-boundary';
import { refusalItem, refusalOf } from '../upload/tell-refusal';
import { reasonOf, type Uncompacted, uncompactedFields } from '../upload/tell-uncompacted';
import { uploadEntry } from '../upload/upload-entry';
import { uploadPermission } from '../upload/upload-permission';
import { noteArchive } from './archive-index';
import { archiveSubAgents, noteSubAgents } from './archive-sub-agents';
import { locateTranscript } from './archive-transcript';
import type { ArchiveDestination, ArchiveEntry, ArchiveSession } from './archive-types';
import type { HookInput } from './read-hook-input';
import { logOutcome } from './tell-outcome';

export interface ArchiveFollowUp {
  input: HookInput;
  entry: ArchiveEntry;
  /** Absolute. */
  configFolder: string;
  /** Null: it is not reported. */
  session: ArchiveSession | null;
  /** Null: there is no server. */
  destination: ArchiveDestination | null;
  /** Undefined: as the environment says. */
  uploadArchives?: UploadChoice;
  logger: Logger;
  /** For tests. */
  patience?: Partial<BoundaryPatience>;
}

/** How long one step is tried: what does not work now is somebody else's later. */
const PATIENCE_MS = 10_000;

/** @throws what the file system throws for the index. */
export async function followArchive(followUp: ArchiveFollowUp): Promise<void> {
  const { input, entry, configFolder, session, destination, logger } = followUp;
  const subAgents = await archiveAgents(followUp);
  if (session === null || destination === null) return;
  if (entry.state !== 'stored' || entry.bytes === null || entry.source === null) return;
  const bring = uploader(followUp, session, destination);
  for (const what of [entry, ...subAgents]) if (what.state === 'stored') await bring?.(what);
  // A sub-agent's compaction is told of in a file of its own.
  if (input.agentId !== null) return;
  const path = locateTranscript(entry.source, input.cwd);
  const about = {
    session: session.key,
    clientSessionId: input.sessionId === 'unknown' ? null : input.sessionId,
    project: destination.project,
    configFolder,
    now: Date.parse(entry.at),
  };
  const outcome = await awaitBoundary(
    { ...about, path, folder: input.cwd, after: entry.bytes, isNoted: bring !== null },
    { ...BOUNDARY_PATIENCE, ...followUp.patience, isUnref: true },
  );
  if (outcome.type !== 'completed') {
    await noteArchive(configFolder, entry.id, { uncompacted: reasonOf(outcome, true) }).catch(
      () => undefined,
    );
    logger.warn(`PreCompact: the compaction did not come: ${reasonOf(outcome, true)}`, { archive: entry.id });
    tellUncompacted(session, destination, entry, outcome);
    return;
  }
  if (bring === null) return;
  const { trigger, cwd, repo } = entry;
  const completed = await noteSubAgents({ ...about, transcript: path, trigger, cwd, repo });
  for (const what of [...outcome.made, ...completed]) await bring(what);
}

async function archiveAgents({
  input,
  entry,
  configFolder,
  logger,
}: ArchiveFollowUp): Promise<ArchiveEntry[]> {
  const { session, repo } = entry;
  if (session === null || input.transcriptPath === null) return [];
  const outcomes = await archiveSubAgents({
    input,
    transcript: locateTranscript(input.transcriptPath, input.cwd),
    session,
    repoPath: repo,
    configFolder,
    now: Date.parse(entry.at),
  });
  for (const outcome of outcomes) logOutcome(logger, outcome);
  return outcomes.map(({ entry: made }) => made);
}

/** Null: nothing may be handed over. */
function uploader(
  { configFolder, uploadArchives, logger }: ArchiveFollowUp,
  session: ArchiveSession,
  destination: ArchiveDestination,
) {
  const settings = readUploadSettings();
  const permission = uploadPermission({
    ...settings,
    ...destination,
    uploadArchives: uploadArchives ?? settings.uploadArchives,
  });
  if (!permission.allowed) return null;
  return async (what: ArchiveEntry) => {
    const outcome = await uploadEntry(what, {
      server: permission.server,
      configFolder,
      host: settings.host,
      project: destination.project,
      options: { isUnref: true, timing: { patienceMs: PATIENCE_MS } },
    });
    const fields = { archive: what.id, version: what.asOf, bytes: what.bytes };
    if (outcome.state === 'stored') logger.debug('PreCompact: handed the archive over', fields);
    else logger.warn(`PreCompact: the archive was not handed over: ${outcome.reason}`, fields);
    const reason = refusalOf(outcome);
    if (reason === null) return;
    const item = refusalItem({ ...what, session: session.key }, reason, Date.now());
    const { type: _type, session: _session, ...refusal } = item;
    session.archive(refusal);
  };
}

function tellUncompacted(
  session: ArchiveSession,
  { project, content }: ArchiveDestination,
  entry: ArchiveEntry,
  outcome: Uncompacted,
): void {
  const about = { project, session: session.key, content, at: Date.now() };
  const { compaction, archive } = uncompactedFields(entry, outcome, about);
  if (compaction !== null) session.compaction(compaction);
  session.archive(archive);
}
