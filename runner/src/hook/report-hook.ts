/**
 * Reports a hook through the client's durable queue, and uploads its archives. If the server is away, the next client of
 * this machine sends the items, and archives stay pending in the index.
 */
import { present } from '../../../core/agents/fields';
import { clientOfKey } from '../../../core/agents/registry';
import type { ArchiveEntry } from '../archive/archive-types';
import { followCompaction } from '../archive/follow-compaction';
import type { HookInput } from '../archive/read-hook-input';
import { reportArchive, reportPending } from '../archive/report-archive';
import { createClient } from '../client/create-client';
import type { Logger } from '../logger';
import type { RunnerSettings } from '../settings';
import { clientSettings, runnerOf } from '../transcripts/project-clients';
import { projectOfTranscript } from '../upload/upload-entry';
import { uploadPermission } from '../upload/upload-permission';
import { VERSION } from '../version';

export interface HookReport {
  input: HookInput;
  entry: ArchiveEntry;
  session: string;
  settings: RunnerSettings & { url: string };
  configFolder: string;
  /** When the hook fired, milliseconds since the epoch. */
  now: number;
  logger: Logger;
}

const DELIVER_MS = 3_000;
const STEP_PATIENCE_MS = 4_000;

/** @param subAgents resolves once their files are archived. @throws TypeError for invalid settings; what the index throws. */
export async function reportHook(report: HookReport, subAgents: Promise<void>): Promise<void> {
  const { input, entry, session, settings, configFolder, now, logger } = report;
  const { host, content } = settings;
  const project = settings.project ?? (await projectOfTranscript(input.transcriptPath, input.cwd));
  const client = createClient({
    ...clientSettings(settings),
    project,
    runner: { name: runnerOf(session), host, version: VERSION },
    source: 'hook',
    logger,
  });
  try {
    const handle = client.session(session, {
      at: now,
      lens: 'snapshot',
      host,
      ...present({ client: clientOfKey(session), folder: input.cwd }),
      ...(input.sessionId === 'unknown' ? {} : { clientSessionId: input.sessionId }),
    });
    reportPending(handle, input, now);
    reportArchive(handle, entry, now);
    await subAgents;
    const upload = {
      host,
      project: settings.project,
      // The client reports to one project, so only archives of this repository are uploaded.
      isWanted: ({ repo }: ArchiveEntry) => repo === entry.repo,
      options: { timing: { patienceMs: STEP_PATIENCE_MS } },
    };
    const sessionOf = (key: string) => (key === session ? handle : client.session(key));
    const about = { input, entry, session: handle, project, configFolder, content, logger };
    await followCompaction({ ...about, permission: uploadPermission(settings), upload, sessionOf });
  } finally {
    await client.close(DELIVER_MS);
  }
}
