/** What `import`, `watch` and `archives` share in handing archives over. */
import { noteSubAgents } from '../archive/archive-sub-agents';
import type { ArchiveEntry } from '../archive/archive-types';
import type { TranscriptSource } from '../transcripts/collect-sources';
import type { FeedStore } from '../transcripts/feed-store';
import type { ClientPool } from '../transcripts/project-clients';
import { completeArchives } from '../upload/complete-archives';
import { refusalItem, refusalOf } from '../upload/tell-refusal';
import type { EntryOutcome, EntryUpload } from '../upload/upload-entry';
import { uploadPermission } from '../upload/upload-permission';
import type { ConnectedSettings } from './connection';

export type HandOver =
  | { allowed: true; upload: EntryUpload; configFolder: string }
  /** A sentence. */
  | { allowed: false; reason: string };

export function prepareHandOver(
  settings: ConnectedSettings,
  configFolder: () => string,
  store?: FeedStore,
): HandOver {
  const permission = uploadPermission(settings);
  if (!permission.allowed) return permission;
  let folder: string;
  try {
    folder = configFolder();
  } catch (error) {
    return { allowed: false, reason: error instanceof Error ? error.message : String(error) };
  }
  const upload: EntryUpload = {
    server: permission.server,
    configFolder: folder,
    host: settings.host,
    project: settings.project,
    ...(store === undefined ? {} : { projectOf: (session) => store.projectOf(session) }),
  };
  return { allowed: true, upload, configFolder: folder };
}

/** Notes the completed archives of a transcript. Never rejects: what it found is not worth stopping for. */
export async function noteCompleted(
  source: TranscriptSource,
  project: string,
  options: {
    configFolder: string;
    after: number;
    isEnded: boolean;
    now: number;
    onProblem(path: string, reason: string): void;
  },
): Promise<void> {
  const { session, clientSessionId, folder, chain: agent } = source.identity;
  const { path } = source;
  try {
    const { made } = await completeArchives({
      ...options,
      path,
      session,
      clientSessionId,
      folder,
      project,
      agent,
    });
    const last = made.at(-1);
    // Once for the session, with its last compaction: a sub-agent's file only grows.
    if (last === undefined || agent !== null) return;
    const { trigger, cwd, repo } = last;
    const { configFolder, now } = options;
    const about = { session, clientSessionId, project, configFolder, now, trigger, cwd, repo };
    await noteSubAgents({ ...about, transcript: path });
  } catch (error) {
    options.onProblem(path, error instanceof Error ? error.message : String(error));
  }
}

/** Tells the session of an archive that its server will not have, or not now. */
export async function tellRefusal(
  clients: ClientPool,
  entry: ArchiveEntry,
  outcome: EntryOutcome,
  now: number,
): Promise<void> {
  const { session } = entry;
  const reason = refusalOf(outcome);
  if (reason === null || session === null) return;
  const client = await clients.of(outcome.project);
  client.send(refusalItem({ ...entry, session }, reason, now));
}

/** For people: which archive a line speaks of. */
export function nameOf({ session, clientSessionId, at, asOf, agent }: ArchiveEntry): string {
  const version = asOf === 'completed' ? 'completed' : 'at the hook';
  const whose = agent === undefined ? '' : `, sub-agent ${agent}`;
  return `${session ?? clientSessionId}${whose}, ${at}, ${version}`;
}
