/**
 * The PreCompact hook as a callback: archives the transcript before the client summarises it. It owns nothing and
 * never stands in a compaction's way: whatever comes in and whatever fails, the answer is `{}`.
 */
import { type KnownSettings, refuseUnknownSettings } from '../../../core/settings/refuse-unknown-settings';
import { type Logger, silentLogger } from '../logger';
import { readConfigFolder } from '../settings';
import { archiveTranscript } from './archive-transcript';
import type { ArchiveDestination, ArchiveSession } from './archive-types';
import { type HookInput, readHookInput } from './read-hook-input';
import { logOutcome, reportArchive, reportPending } from './tell-outcome';

/** Options of `createPreCompactHook`; all may be left out. */
export interface PreCompactHookOptions {
  /** Folder of the repository, which names the folder of its archives. Default: the input's `cwd`, else the process's. */
  repoPath?: string;
  /**
   * Archives lie in `<configDir>/runs/<repo key>/archives`. Default: `BAROGRAPH_CONFIG_DIR`, else
   * `$XDG_CONFIG_HOME/barograph`, else `~/.config/barograph`.
   */
  configDir?: string;
  /** INFO for an archive, WARNING where there is nothing to copy, ERROR where copying fails. Default: silent. */
  logger?: Logger;
  /**
   * The session to report to a server, as the client makes it, or a function that finds it by the client's session
   * id (null: not reported). Without one, archives are local alone.
   */
  session?: ArchiveSession | ((clientSessionId: string) => ArchiveSession | null);
  /**
   * Who gets the archives: `local`, a server on this machine alone; `on`, whichever the session is reported to; `off`,
   * none. Default: `BAROGRAPH_UPLOAD_ARCHIVES`, else `local`. With the client's `content: false` none ever does.
   */
  uploadArchives?: 'local' | 'on' | 'off';
  /** Milliseconds after which the compaction goes on while copying does, too. Default 10 000. */
  timeoutMs?: number;
  /** For tests: the clock, in milliseconds since the epoch. */
  now?(): number;
}

/** What the Claude Agent SDK calls for `PreCompact`. Never rejects; the answer lets the compaction proceed. */
export type PreCompactHook = (input?: unknown, ...extra: unknown[]) => Promise<Record<string, never>>;

const KNOWN = ['repoPath', 'configDir', 'logger', 'session', 'uploadArchives', 'timeoutMs', 'now'] as const;
const COMPACTS_BY_ITSELF = 'It is retired: the client compacts by itself, and pressure decides nothing here.';
const RETIRED: KnownSettings = {
  retired: { context_restart_threshold: COMPACTS_BY_ITSELF, context_limit: COMPACTS_BY_ITSELF },
};
const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Makes a PreCompact hook. The transcript that its input names is copied to
 * `<configDir>/runs/<repo key>/archives/<session>_<UTC timestamp>_transcript<ext>`: folders 0700, the file 0600,
 * never over another one, both triggers alike.
 *
 * @throws UnknownSettingError for an option that does not exist or no longer does; TypeError for one that can never work.
 */
export function createPreCompactHook(options: PreCompactHookOptions = {}): PreCompactHook {
  refuseUnknownSettings(options, KNOWN, RETIRED);
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  if (!(typeof timeoutMs === 'number' && timeoutMs >= 0)) {
    throw new TypeError('timeoutMs must be a number of milliseconds from 0.');
  }
  const { uploadArchives } = options;
  if (uploadArchives !== undefined && !['local', 'on', 'off'].includes(uploadArchives)) {
    throw new TypeError('uploadArchives must be "local", "on" or "off".');
  }
  const logger = guarded(options.logger ?? silentLogger);
  return async (input) => {
    const archiving = archive(readHookInput(input), options, logger).catch((error: unknown) => {
      logger.error(`PreCompact: failed to archive the transcript: ${messageOf(error)}`, {});
    });
    if (!(await endsWithin(archiving, timeoutMs))) {
      logger.warn(
        `PreCompact: copying takes longer than ${timeoutMs} ms and goes on beside the compaction`,
        {},
      );
    }
    return {};
  };
}

/** The hook as the `hooks` option of the Claude Agent SDK wants it. @throws as `createPreCompactHook`. */
export function preCompactHooks(options: PreCompactHookOptions = {}): {
  PreCompact: { hooks: PreCompactHook[] }[];
} {
  return { PreCompact: [{ hooks: [createPreCompactHook(options)] }] };
}

async function archive(input: HookInput, options: PreCompactHookOptions, logger: Logger): Promise<void> {
  const now = (options.now ?? Date.now)();
  const session = findSession(options.session, input, logger);
  const report = (tell: (session: ArchiveSession) => void) => {
    try {
      if (session !== null) tell(session);
    } catch (error) {
      logger.warn(`PreCompact: the report to the server failed: ${messageOf(error)}`, {});
    }
  };
  report((known) => reportPending(known, input, now));
  const configFolder = options.configDir ?? readConfigFolder();
  const outcome = await archiveTranscript({
    input,
    repoPath: options.repoPath ?? input.cwd ?? '.',
    configFolder,
    session: session?.key ?? null,
    now,
  });
  logOutcome(logger, outcome);
  report((known) => reportArchive(known, outcome.entry, now));
  // Beside the compaction, which waits for none of it.
  void import('./follow-archive')
    .then(({ followArchive }) =>
      followArchive({
        ...options,
        input,
        entry: outcome.entry,
        configFolder,
        session,
        destination: destinationOf(session),
        logger,
      }),
    )
    .catch((error: unknown) => logger.warn(`PreCompact: handing over failed: ${messageOf(error)}`, {}));
}

function destinationOf(session: ArchiveSession | null): ArchiveDestination | null {
  try {
    return session?.destination?.() ?? null;
  } catch {
    return null;
  }
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
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.min(timeoutMs, 2 ** 31 - 1));
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A logger that throws must not fail a hook. */
function guarded(logger: Logger): Logger {
  const write =
    (level: keyof Logger) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      try {
        logger[level](message, fields);
      } catch {
        // Its owner's to see to.
      }
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
