/**
 * Hands an archive of the hook callback over, beside the agent's work and in its process: the copy first, then the
 * completed one, when the compaction's own line is there. None of its waiting keeps the process alive; what an agent
 * that ends leaves behind is pending in the index, for `barograph watch` or `barograph archives upload`.
 */
import type { Logger } from '../logger';
import { readUploadSettings, type UploadChoice } from '../settings';
import { awaitBoundary, BOUNDARY_PATIENCE } from '../upload/await-boundary';
import { refusalItem } from '../upload/tell-refusal';
import { uploadEntry } from '../upload/upload-entry';
import { uploadPermission } from '../upload/upload-permission';
import { locateTranscript } from './archive-transcript';
import type { ArchiveDestination, ArchiveEntry, ArchiveSession } from './archive-types';
import type { HookInput } from './read-hook-input';

export interface ArchiveHandOver {
  input: HookInput;
  entry: ArchiveEntry;
  /** Absolute. */
  configFolder: string;
  session: ArchiveSession;
  destination: ArchiveDestination;
  /** Undefined: as the environment says. */
  uploadArchives?: UploadChoice;
  logger: Logger;
}

/** How long one step is tried: what does not work now is somebody else's later. */
const PATIENCE_MS = 10_000;

/** @throws what the file system throws for the index. */
export async function handOverArchive(handOver: ArchiveHandOver): Promise<void> {
  const { input, entry, configFolder, session, destination, logger } = handOver;
  const settings = readUploadSettings();
  const permission = uploadPermission({
    ...settings,
    ...destination,
    uploadArchives: handOver.uploadArchives ?? settings.uploadArchives,
  });
  if (!permission.allowed || entry.state !== 'stored' || entry.bytes === null || entry.source === null)
    return;
  const bring = async (what: ArchiveEntry) => {
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
    if (outcome.state !== 'refused') return;
    const {
      type: _type,
      session: _session,
      ...refusal
    } = refusalItem({ ...what, session: session.key }, outcome.reason, Date.now());
    session.archive(refusal);
  };
  await bring(entry);
  // A sub-agent's compaction is told of in a file of its own.
  if (input.agentId !== null) return;
  const completed = await awaitBoundary(
    {
      path: locateTranscript(entry.source, input.cwd),
      after: entry.bytes,
      session: session.key,
      clientSessionId: input.sessionId === 'unknown' ? null : input.sessionId,
      folder: input.cwd,
      project: destination.project,
      configFolder,
      now: Date.parse(entry.at),
    },
    { ...BOUNDARY_PATIENCE, isUnref: true },
  );
  for (const what of completed) await bring(what);
}
