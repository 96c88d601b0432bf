/**
 * What a hook does when nobody waits for it any more: hands its archive over where that is allowed, then what earlier
 * hooks left, and stays for a while to see the compaction's own line come, to hand over the completed version, too.
 * Killed at any moment, it leaves the rest to the next hook, `watch`, `import` or `barograph archives upload`.
 */
import { locateTranscript } from '../archive/archive-transcript';
import type { ArchiveEntry } from '../archive/archive-types';
import { awaitBoundary } from '../upload/await-boundary';
import { refusalItem } from '../upload/tell-refusal';
import { type EntryOutcome, type EntryUpload, uploadEntry } from '../upload/upload-entry';
import { uploadPending } from '../upload/upload-pending';
import { uploadPermission } from '../upload/upload-permission';
import { type HookReporter, reportMore } from './report-hook';

export interface HookHandOver extends HookReporter {
  entry: ArchiveEntry;
  project: string;
  /** Absolute. */
  configFolder: string;
}

/** How long one step is tried: a server that is away now gets it later, from somebody else. */
const PATIENCE_MS = 4_000;

/** @throws what the file system throws for the index. */
export async function handOverArchives(handOver: HookHandOver): Promise<void> {
  const { input, entry, settings, configFolder, project, session } = handOver;
  const permission = uploadPermission(settings);
  if (!permission.allowed) return;
  const upload: EntryUpload = {
    server: permission.server,
    configFolder,
    host: settings.host,
    project: settings.project,
    options: { timing: { patienceMs: PATIENCE_MS } },
  };
  const bring = async (what: ArchiveEntry): Promise<EntryOutcome['state']> => {
    const outcome = await uploadEntry(what, upload);
    await tell(handOver, what, outcome);
    return outcome.state;
  };
  const isStored = entry.state === 'stored' && entry.bytes !== null;
  const reached = isStored ? await bring({ ...entry, project }) : 'refused';
  if (reached === 'stored') {
    await uploadPending({
      ...upload,
      isWanted: ({ id }) => id !== entry.id,
      onOutcome: (what, outcome) => tell(handOver, what, outcome),
    });
  }
  // A sub-agent's compaction is told of in a file of its own.
  if (!isStored || entry.source === null || input.agentId !== null) return;
  const completed = await awaitBoundary({
    path: locateTranscript(entry.source, input.cwd),
    after: entry.bytes ?? 0,
    session,
    clientSessionId: input.sessionId === 'unknown' ? null : input.sessionId,
    folder: input.cwd,
    project,
    configFolder,
    now: handOver.now,
  });
  for (const what of completed) await bring(what);
}

/** A server that has no copy, and gets none, is told why. */
async function tell(reporter: HookReporter, entry: ArchiveEntry, outcome: EntryOutcome): Promise<void> {
  const { session } = entry;
  if (outcome.state !== 'refused' || session === null) return;
  await reportMore({ ...reporter, session }, outcome.project, (client) => {
    client.send(refusalItem({ ...entry, session }, outcome.reason, Date.now()));
  });
}
