/**
 * What a hook does when nobody waits for it any more: hands its archives over where that is allowed, then what earlier
 * hooks left, and stays for a while to see what becomes of the compaction: its own line, which makes the completed
 * version, or a refusal, which is told. A server that is away is tried again beside that, and for some minutes after it.
 * Killed at any moment, it leaves the rest to the next hook, `watch`, `import` or `barograph archives upload`.
 */
import { noteArchive } from '../archive/archive-index';
import { noteSubAgents } from '../archive/archive-sub-agents';
import { locateTranscript } from '../archive/archive-transcript';
import type { ArchiveEntry } from '../archive/archive-types';
import { awaitBoundary } from '../upload/await-boundary';
import { insist } from '../upload/insist';
import { refusalItem, refusalOf } from '../upload/tell-refusal';
import { reasonOf, type Uncompacted, uncompactedFields } from '../upload/tell-uncompacted';
import { type EntryOutcome, type EntryUpload, uploadEntry } from '../upload/upload-entry';
import { uploadPending } from '../upload/upload-pending';
import { uploadPermission } from '../upload/upload-permission';
import { type HookReporter, reportMore } from './report-hook';

export interface HookHandOver extends HookReporter {
  entry: ArchiveEntry;
  /** Archives of its sub-agents' files, made with it. */
  subAgents: readonly ArchiveEntry[];
  project: string;
  /** Absolute. */
  configFolder: string;
}

/** How long one step is tried before what it is for waits for the next look. */
const STEP_PATIENCE_MS = 4_000;

/** @throws what the file system throws for the index. */
export async function handOverArchives(handOver: HookHandOver): Promise<void> {
  const bring = uploader(handOver);
  if (bring !== null && handOver.entry.state === 'stored') await bring.all();
  try {
    await followCompaction(handOver, bring);
  } finally {
    await bring?.settled();
  }
}

/** Waits for what becomes of the compaction, and makes of it what is to be handed over or told. */
async function followCompaction(handOver: HookHandOver, bring: Uploader | null): Promise<void> {
  const { input, entry, settings, configFolder, project, session } = handOver;
  // A sub-agent's compaction is told of in a file of its own.
  if (entry.state !== 'stored' || entry.source === null || input.agentId !== null) return;
  const path = locateTranscript(entry.source, input.cwd);
  const about = {
    session,
    clientSessionId: input.sessionId === 'unknown' ? null : input.sessionId,
    project,
    configFolder,
    now: handOver.now,
  };
  const outcome = await awaitBoundary({
    ...about,
    path,
    folder: input.cwd,
    after: entry.bytes ?? 0,
    isNoted: bring !== null,
  });
  if (outcome.type !== 'completed') {
    await noteArchive(configFolder, entry.id, { uncompacted: reasonOf(outcome, true) }).catch(
      () => undefined,
    );
    await tellUncompacted(handOver, outcome, settings.content);
    return;
  }
  if (bring === null) return;
  const { trigger, cwd, repo } = entry;
  const subAgents = await noteSubAgents({ ...about, transcript: path, trigger, cwd, repo });
  for (const what of [...outcome.made, ...subAgents]) await bring.one(what);
}

interface Uploader {
  /** The hook's own archives, then what earlier hooks left. */
  all(): Promise<void>;
  one(what: ArchiveEntry): Promise<EntryOutcome['state']>;
  /** Resolves when nothing waits for the server any more, or nobody has the patience. */
  settled(): Promise<void>;
}

/** Null: nothing may be handed over. */
function uploader(handOver: HookHandOver): Uploader | null {
  const { entry, subAgents, settings, configFolder, project } = handOver;
  const permission = uploadPermission(settings);
  if (!permission.allowed) return null;
  const upload: EntryUpload = {
    server: permission.server,
    configFolder,
    host: settings.host,
    project: settings.project,
    options: { timing: { patienceMs: STEP_PATIENCE_MS } },
  };
  const pending = async (isWanted: (entry: ArchiveEntry) => boolean): Promise<boolean> => {
    const onOutcome = (what: ArchiveEntry, outcome: EntryOutcome) => tell(handOver, what, outcome);
    return (await uploadPending({ ...upload, isWanted, onOutcome })).isPassing;
  };
  const again = insist({ look: () => pending(() => true), until: handOver.now + settings.hookPatienceMs });
  const one = async (what: ArchiveEntry): Promise<EntryOutcome['state']> => {
    const outcome = await uploadEntry(what, upload);
    await tell(handOver, what, outcome);
    if (outcome.state === 'waiting' && outcome.isPassing) again.owe();
    return outcome.state;
  };
  const all = async () => {
    if ((await one({ ...entry, project })) !== 'stored') return;
    const own = new Set([entry, ...subAgents].map(({ id }) => id));
    for (const what of subAgents) if (what.state === 'stored') await one({ ...what, project });
    if (await pending(({ id }) => !own.has(id))) again.owe();
  };
  return { one, all, settled: again.settled };
}

/** A server that has no copy, and gets none, is told why. */
async function tell(reporter: HookReporter, entry: ArchiveEntry, outcome: EntryOutcome): Promise<void> {
  const { session } = entry;
  const reason = refusalOf(outcome);
  if (reason === null || session === null) return;
  await reportMore({ ...reporter, session }, outcome.project, (client) => {
    client.send(refusalItem({ ...entry, session }, reason, Date.now()));
  });
}

async function tellUncompacted(
  handOver: HookHandOver,
  outcome: Uncompacted,
  content: boolean,
): Promise<void> {
  const { entry, project, session } = handOver;
  const about = { project, session, content, at: Date.now() };
  const { compaction, archive } = uncompactedFields(entry, outcome, about);
  await reportMore(handOver, project, (client) => {
    const handle = client.session(session);
    if (compaction !== null) handle.compaction(compaction);
    handle.archive(archive);
  });
}
