/**
 * Reports a hook through the client's durable queue, and hands its archives over. Items that the server does not take
 * now leave with the next client of this machine; archives stay pending in the index.
 */
import type { ArchiveEntry } from '../archive/archive-types';
import { followCompaction } from '../archive/follow-compaction';
import type { HookInput } from '../archive/read-hook-input';
import { refusalFields, refusalOf, reportArchive, reportPending } from '../archive/report-archive';
import type { BarographClient } from '../client/client-types';
import { createClient } from '../client/create-client';
import type { Logger } from '../logger';
import type { RunnerSettings } from '../settings';
import { projectOfTranscript } from '../upload/upload-entry';
import { uploadPending } from '../upload/upload-pending';
import { uploadPermission } from '../upload/upload-permission';
import { VERSION } from '../version';

export interface HookReport {
  input: HookInput;
  entry: ArchiveEntry;
  /** Session key. */
  session: string;
  settings: RunnerSettings & { url: string };
  /** Absolute. */
  configFolder: string;
  /** When the hook fired, milliseconds since the epoch. */
  now: number;
  logger: Logger;
}

const DELIVER_MS = 3_000;
/** How long one upload step is retried. */
const STEP_PATIENCE_MS = 4_000;

/**
 * Report the pending compaction and the archive.
 * @returns the session's project. @throws TypeError for settings that cannot work.
 */
export async function reportHook(report: HookReport): Promise<string> {
  const { input, entry, session, settings, now } = report;
  const project = settings.project ?? (await projectOfTranscript(input.transcriptPath, input.cwd));
  const name = clientOf(session);
  await withClient(report, session, project, (client) => {
    const handle = client.session(session, {
      at: now,
      lens: 'snapshot',
      host: settings.host,
      ...(name === null ? {} : { client: name }),
      ...(input.sessionId === 'unknown' ? {} : { clientSessionId: input.sessionId }),
      ...(input.cwd === null ? {} : { folder: input.cwd }),
    });
    reportPending(handle, input, now);
    reportArchive(handle, entry, now);
  });
  return project;
}

/** Upload this hook's archives and earlier ones, and follow the compaction. @throws what the index throws. */
export async function handOverArchives(report: HookReport, project: string): Promise<void> {
  const { session, settings, configFolder } = report;
  const permission = uploadPermission(settings);
  const upload = async () => {
    if (!permission.allowed) return;
    await uploadPending({
      server: permission.server,
      configFolder,
      host: settings.host,
      project: settings.project,
      options: { timing: { patienceMs: STEP_PATIENCE_MS } },
      onOutcome: async (archive, outcome) => {
        const reason = refusalOf(outcome);
        const key = archive.session;
        if (reason === null || key === null) return;
        await withClient(report, key, outcome.project, (client) => {
          client.session(key).archive(refusalFields(archive, reason, Date.now()));
        });
      },
    });
  };
  await followCompaction({
    ...report,
    project,
    content: settings.content,
    upload: permission.allowed ? upload : null,
    reportUncompacted: ({ compaction, archive }) =>
      withClient(report, session, project, (client) => {
        const handle = client.session(session);
        if (compaction !== null) handle.compaction(compaction);
        handle.archive(archive);
      }),
  });
}

async function withClient(
  { settings, logger }: HookReport,
  session: string,
  project: string,
  send: (client: BarographClient) => void,
): Promise<void> {
  const client = createClient({
    url: settings.url,
    token: settings.token,
    secret: settings.secret,
    project,
    runner: { name: clientOf(session) ?? 'hook', host: settings.host, version: VERSION },
    source: 'hook',
    queueFolder: settings.queueFolder,
    content: settings.content,
    logger,
  });
  send(client);
  await client.close(DELIVER_MS);
}

/** The part of a session key that names the agent's client. */
function clientOf(session: string): string | null {
  const client = session.slice(0, session.indexOf(':'));
  return client === '' || client === 'hook' ? null : client;
}
