/**
 * Reports a hook through the client's durable queue, and uploads its archives. If the server is away, the next client of
 * this machine sends the items, and archives stay pending in the index.
 */
import { present } from '../../../core/agents/fields';
import { clientOfKey, ownIdOf } from '../../../core/agents/registry';
import type { ArchiveEntry } from '../archive/archive-types';
import { findOpen, followCompaction } from '../archive/follow-compaction';
import type { HookInput } from '../archive/read-hook-input';
import { reportArchive, reportPending } from '../archive/report-archive';
import type { RunnerSession } from '../client/client-types';
import { createClient } from '../client/create-client';
import type { Logger } from '../logger';
import type { RunnerSettings } from '../settings';
import { clientSettings, identityOf, projectSourceOf } from '../transcripts/project-clients';
import { projectOfTranscript } from '../upload/upload-entry';
import { uploadPermission } from '../upload/upload-permission';
import { VERSION } from '../version';

export interface HookReport {
  input: HookInput;
  /** The archive that this hook made. */
  entry: ArchiveEntry | null;
  session: string;
  /** Absolute path of the repository. */
  repo: string;
  settings: RunnerSettings & { url: string };
  configFolder: string;
  /** When the hook fired, milliseconds since the epoch. */
  now: number;
  logger: Logger;
}

const DELIVER_MS = 3_000;
const STEP_PATIENCE_MS = 4_000;
/** How long each hook waits for a compaction's outcome. If a compaction takes longer, the next hook follows it. */
const WAITS: Record<string, { patienceMs: number; isLast: boolean }> = {
  PreCompact: { patienceMs: 5_000, isLast: false },
  PostCompact: { patienceMs: 10_000, isLast: false },
  SessionEnd: { patienceMs: 2_000, isLast: true },
};
const AT_ONCE = { patienceMs: 0, isLast: true };
const REASONS = { startup: 'startup', resume: 'resumed', clear: 'clear', fork: 'fork' } as const;

/** @param subAgents resolves once their files are archived. @throws TypeError for invalid settings; what the index throws. */
export async function reportHook(report: HookReport, subAgents: Promise<void>): Promise<void> {
  const { input, entry, session, repo, settings, configFolder, logger } = report;
  const { host, content } = settings;
  const project = settings.project ?? (await projectOfTranscript(input.transcriptPath, input.cwd));
  const identity = identityOf(session, project, projectSourceOf(settings, input.cwd));
  const client = createClient({
    ...clientSettings(settings),
    ...identity,
    runner: { name: identity.runner, host, version: VERSION },
    source: 'hook',
    logger,
  });
  try {
    const handle = client.session(session);
    reportEvent(handle, report);
    await subAgents;
    const upload = {
      host,
      project: settings.project,
      // The client reports to one project and program, so only such archives are uploaded.
      isWanted: (archived: ArchiveEntry) =>
        archived.repo === repo && ownIdOf(archived.session)?.client === identity.client,
      options: { timing: { patienceMs: STEP_PATIENCE_MS } },
    };
    const sessionOf = (key: string) => (key === session ? handle : client.session(key));
    const permission = uploadPermission(settings);
    const about = { input, session: handle, project, configFolder, content, logger, permission, upload };
    const open = (await findOpen(configFolder, session)).filter(({ id }) => id !== entry?.id);
    for (const each of entry === null ? open : [...open, entry]) {
      const isNewest = each === (entry ?? open.at(-1));
      const waits = (isNewest && WAITS[input.event ?? 'PreCompact']) || AT_ONCE;
      await followCompaction({ ...about, entry: each, waits, sessionOf });
    }
  } finally {
    await client.close(DELIVER_MS);
  }
}

function reportEvent(handle: RunnerSession, { input, entry, session, settings, now }: HookReport): void {
  const { event, cause } = input;
  if (event === 'SessionEnd') handle.end({ at: now, ...present({ reason: cause }) });
  if (event === 'SessionEnd' || event === 'PostCompact') return;
  handle.start({
    at: now,
    lens: 'snapshot',
    host: settings.host,
    ...present({
      client: clientOfKey(session),
      folder: input.cwd,
      clientSessionId: input.sessionId === 'unknown' ? null : input.sessionId,
      reason: (event === 'SessionStart' && REASONS[cause as keyof typeof REASONS]) || null,
    }),
  });
  if (entry === null) return;
  reportPending(handle, input, now);
  reportArchive(handle, entry, now);
}
