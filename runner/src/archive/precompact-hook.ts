/** The PreCompact hook as a callback. It never blocks a compaction: whatever fails, the answer is `{}`. */
import { setTimeout } from 'node:timers/promises';
import { ownIdOf, sessionKeyOf } from '../../../core/agents/registry';
import { type KnownSettings, refuseUnknownSettings } from '../../../core/settings/refuse-unknown-settings';
import { guard, guardLogger, messageOf } from '../guard';
import { type Logger, silentLogger } from '../logger';
import { readConfigFolder, readUploadSettings } from '../settings';
import { uploadPermission } from '../upload/upload-permission';
import { archiveTranscript } from './archive-transcript';
import type { ArchiveEntry, ArchiveSession } from './archive-types';
import { type HookInput, readHookInput } from './read-hook-input';
import { logOutcome, reportArchive, reportPending } from './report-archive';

/** Options of `createPreCompactHook`, all optional. */
export interface PreCompactHookOptions {
  /** Folder of the repository. Default: the input's `cwd`, else the working folder of the process. */
  repoPath?: string;
  /**
   * Archives are in `<configDir>/runs/<repo key>/archives`. Default: `BAROGRAPH_CONFIG_DIR`, else
   * `$XDG_CONFIG_HOME/barograph`, else `~/.config/barograph`.
   */
  configDir?: string;
  /** Logs INFO for an archive, WARNING if there is nothing to copy, ERROR if copying fails. Default: silent. */
  logger?: Logger;
  /**
   * The session to report to, or a function that finds the session by the client's session id. Default, and with null:
   * nothing is reported and archives stay local.
   */
  session?: ArchiveSession | ((clientSessionId: string) => ArchiveSession | null);
  /**
   * Where to upload archives. `local`: only to a server on this machine. `on`: to any server that the session reports
   * to. `off`: nowhere. Default: `BAROGRAPH_UPLOAD_ARCHIVES`, else `local`. With the client's `content: false`, nothing
   * is uploaded.
   */
  uploadArchives?: 'local' | 'on' | 'off';
  /** Milliseconds after which the compaction starts even if copying continues. Default 10 000. */
  timeoutMs?: number;
  /** Clock, milliseconds since the epoch; for tests. */
  now?(): number;
}

/** The Claude Agent SDK's callback for `PreCompact`. Never rejects; its answer lets the compaction proceed. */
export type PreCompactHook = (input?: unknown, ...extra: unknown[]) => Promise<Record<string, never>>;

const KNOWN = ['repoPath', 'configDir', 'logger', 'session', 'uploadArchives', 'timeoutMs', 'now'] as const;
const COMPACTS_BY_ITSELF = 'It is retired: the client decides when to compact.';
const RETIRED: KnownSettings = {
  retired: { context_restart_threshold: COMPACTS_BY_ITSELF, context_limit: COMPACTS_BY_ITSELF },
};
const DEFAULT_TIMEOUT_MS = 10_000;
const UPLOAD_PATIENCE_MS = 10_000;

/**
 * Create a PreCompact hook for automatic and manual compactions. It copies the transcript that its input names to
 * `<configDir>/runs/<repo key>/archives/<session>_<UTC timestamp>_transcript<ext>`. Folders have mode 0700, the file
 * 0600. It never replaces an existing file.
 *
 * @throws UnknownSettingError for an unknown or retired option; TypeError for an invalid value.
 */
export function createPreCompactHook(options: PreCompactHookOptions = {}): PreCompactHook {
  refuseUnknownSettings(options, KNOWN, RETIRED);
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  if (!(typeof timeoutMs === 'number' && timeoutMs >= 0)) {
    throw new TypeError('timeoutMs must be a number of milliseconds, at least 0.');
  }
  const { uploadArchives } = options;
  if (uploadArchives !== undefined && !['local', 'on', 'off'].includes(uploadArchives)) {
    throw new TypeError('uploadArchives must be "local", "on" or "off".');
  }
  const logger = guardLogger(options.logger ?? silentLogger);
  return async (input) => {
    const archiving = archive(readHookInput(input), options, logger).catch((error: unknown) => {
      logger.error(`PreCompact: failed to archive the transcript: ${messageOf(error)}`, {});
    });
    if (!(await endsWithin(archiving, timeoutMs))) {
      logger.warn(
        `PreCompact: copying takes longer than ${timeoutMs} ms and continues in the background`,
        {},
      );
    }
    return {};
  };
}

/** The hook as the `hooks` option of the Claude Agent SDK. @throws as `createPreCompactHook`. */
export function preCompactHooks(options: PreCompactHookOptions = {}): {
  PreCompact: { hooks: PreCompactHook[] }[];
} {
  return { PreCompact: [{ hooks: [createPreCompactHook(options)] }] };
}

async function archive(input: HookInput, options: PreCompactHookOptions, logger: Logger): Promise<void> {
  const now = (options.now ?? Date.now)();
  const session = findSession(options.session, input, logger);
  const report = (send: (session: ArchiveSession) => void) => {
    guard(
      () => session !== null && send(session),
      (error) => logger.warn(`PreCompact: the report to the server failed: ${messageOf(error)}`, {}),
    );
  };
  const own = input.transcriptPath === null ? null : sessionKeyOf(input.transcriptPath, input.sessionId);
  const alias = ownIdOf(own);
  if (alias !== null) report((known) => known.alias?.({ client: alias.client, clientSessionId: alias.id }));
  report((known) => reportPending(known, input, now));
  const configFolder = options.configDir ?? readConfigFolder();
  const repoPath = options.repoPath ?? input.cwd ?? '.';
  const destination = session?.destination?.();
  const about = { session: session?.key ?? null, project: destination?.project };
  const request = { input, repoPath, configFolder, ...about, now };
  const outcome = await archiveTranscript(request);
  const { entry } = outcome;
  logOutcome(logger, outcome);
  report((known) => reportArchive(known, entry, now));

  const follow = async () => {
    const { archiveSubAgents } = await import('./sub-agents');
    const { followCompaction } = await import('./follow-compaction');
    const agents = await archiveSubAgents({ ...request, session: entry.session });
    for (const agent of agents) logOutcome(logger, agent);
    if (session === null || destination === undefined) return;
    const { project, content } = destination;
    const settings = readUploadSettings();
    const uploadArchives = options.uploadArchives ?? settings.uploadArchives;
    const permission = uploadPermission({ ...settings, ...destination, uploadArchives });
    const upload = {
      host: settings.host,
      project,
      isWanted: (archived: ArchiveEntry) => archived.session === session.key,
      options: { isUnref: true, timing: { patienceMs: UPLOAD_PATIENCE_MS } },
    };
    const facts = { input, entry, session, project, configFolder, content, logger };
    await followCompaction({ ...facts, permission, upload, sessionOf: () => session });
  };
  // The compaction does not wait for the upload. The upload does not keep the agent's process alive.
  void follow().catch((error: unknown) =>
    logger.warn(`PreCompact: the upload failed: ${messageOf(error)}`, {}),
  );
}

function findSession(
  session: PreCompactHookOptions['session'],
  input: HookInput,
  logger: Logger,
): ArchiveSession | null {
  if (typeof session !== 'function') return session ?? null;
  try {
    return session(input.sessionId);
  } catch (error) {
    logger.warn(`PreCompact: no session to report to: ${messageOf(error)}`, {});
    return null;
  }
}

async function endsWithin(work: Promise<void>, timeoutMs: number): Promise<boolean> {
  const ended = new AbortController();
  const late = setTimeout(Math.min(timeoutMs, 2 ** 31 - 1), false, { signal: ended.signal });
  return Promise.race([work.then(() => true), late.catch(() => false)]).finally(() => ended.abort());
}
