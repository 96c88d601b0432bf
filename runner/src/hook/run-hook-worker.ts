/** The working process of a hook. Modules that load packages are imported after the archive is made. */
import { parseArgs } from 'node:util';
import { absolutePath } from '../archive/archive-names';
import { type ArchiveRequest, archiveTranscript, findSession } from '../archive/archive-transcript';
import { AGENT_END, HOOK_EVENTS, type HookInput, readHookInput } from '../archive/read-hook-input';
import { logOutcome } from '../archive/report-archive';
import { messageOf } from '../guard';
import type { Logger } from '../logger';
import { type HookSettings, readHookSettings } from '../settings';
// Import only the type: otherwise the bundler would move the code of the answer into a file that may be missing.
import type { HookMessage } from './answer-hook';
import { readHookJson } from './read-hook-json';

/** A file system that does not respond must not keep this process running forever. */
const LIFETIME_MS = 15 * 60_000;

const NO_SERVER =
  'No server is known here, so the archive stays on this machine. `barograph connect` writes the data folder into the settings.';

const HOOK_OPTIONS = {
  'config-dir': { type: 'string' },
  url: { type: 'string' },
  token: { type: 'string' },
  'queue-dir': { type: 'string' },
  project: { type: 'string' },
  'upload-archives': { type: 'string' },
  'no-wait': { type: 'boolean' },
} as const;

export async function runHookWorker(args: readonly string[]): Promise<void> {
  keepRunning();
  const logger = loggerToParent();
  const settled = () => sendToParent({ type: 'settled' });
  try {
    const now = Number(args[2]);
    const settings = readSettings(args.slice(3), logger);
    const input = await readInput(logger);
    if (input === null) return;
    const { configFolder, projectFolder, runner } = settings;
    const isArchiving = input.event === null || input.event === 'PreCompact';
    if (!isArchiving) settled();
    if (configFolder === null) {
      logger.error(`${input.event ?? 'PreCompact'}: nothing is archived: no config folder is known`);
      return;
    }
    const repo = absolutePath(input.cwd ?? projectFolder ?? '.');
    const request: ArchiveRequest = { input, repoPath: repo, configFolder, session: null, now };
    const made = isArchiving ? await archiveTranscript(request) : null;
    if (made !== null) logOutcome(logger, made);
    const entry = made?.entry ?? null;
    if (isArchiving && runner?.url === null) logger.warn(NO_SERVER);
    settled();
    const { session, exists } = entry === null ? await findSession(input) : { ...entry, exists: true };
    const isAgentEnd = input.event === AGENT_END;
    const subAgents =
      entry === null && !isAgentEnd ? Promise.resolve() : archiveAgents({ ...request, session }, logger);
    // Ignore the end of a run that wrote no transcript, and the SessionStart event that follows a compaction. `watch` or
    // the next hook uploads the archive of a sub-agent.
    const isNews = input.event === 'SessionEnd' ? exists : input.cause !== 'compact' && !isAgentEnd;
    if (runner?.url != null && session !== null && isNews) {
      const { reportHook } = await import('./report-hook');
      const connected = { ...runner, url: runner.url };
      await reportHook(
        { input, entry, session, repo, settings: connected, configFolder, now, logger },
        subAgents,
      );
    }
    await subAgents;
  } catch (error) {
    logger.error(`barograph hook: ${messageOf(error)}`);
  } finally {
    settled();
    // An open standard input or channel must not keep the process alive.
    process.exit(0);
  }
}

function readSettings(args: string[], logger: Logger): HookSettings {
  const { values, tokens } = parseArgs({ args, options: HOOK_OPTIONS, strict: false, tokens: true });
  for (const token of tokens) {
    const isKnown = token.kind === 'option' && Object.hasOwn(HOOK_OPTIONS, token.name);
    const name = token.kind === 'option' ? token.rawName : token.kind === 'positional' ? token.value : '--';
    if (!isKnown && name !== '--') logger.warn(`barograph hook has no option "${name}": it is ignored`);
  }
  const settings = readHookSettings({ ...values, 'no-content': undefined });
  for (const warning of settings.warnings) logger.warn(warning);
  return settings;
}

async function readInput(logger: Logger): Promise<HookInput | null> {
  const json = await readHookJson(process.stdin);
  if (!json.ok) {
    logger.warn(`barograph hook reads a hook's JSON from standard input: ${json.reason}`);
    return null;
  }
  const input = readHookInput(json.value);
  return input.event === null || [...HOOK_EVENTS, AGENT_END].includes(input.event) ? input : null;
}

async function archiveAgents(request: ArchiveRequest, logger: Logger): Promise<void> {
  try {
    const { archiveSubAgents } = await import('../archive/sub-agents');
    for (const outcome of await archiveSubAgents(request)) logOutcome(logger, outcome);
  } catch (error) {
    logger.error(`PreCompact: sub-agents were not archived: ${messageOf(error)}`);
  }
}

/** Signals to the client or to single processes must not end a copy in progress. */
function keepRunning(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => undefined);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), LIFETIME_MS).unref();
  process.channel?.unref();
}

function loggerToParent(): Logger {
  const line = (level: keyof Logger) => (message: string) => sendToParent({ type: 'line', level, message });
  return { debug: () => undefined, info: line('info'), warn: line('warn'), error: line('error') };
}

function sendToParent(message: HookMessage): void {
  if (process.connected) process.send?.(message, () => undefined);
}
