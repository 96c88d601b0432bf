/** The working process of a hook. Modules that load packages are imported after the archive is made. */
import { parseArgs } from 'node:util';
import { type ArchiveRequest, archiveTranscript } from '../archive/archive-transcript';
import { type HookInput, readHookInput } from '../archive/read-hook-input';
import { logOutcome } from '../archive/report-archive';
import { messageOf } from '../guard';
import type { Logger } from '../logger';
import { type HookSettings, readHookSettings } from '../settings';
// Only the type: with a shared import, the bundler would move the answer into a file that may be missing.
import type { HookMessage } from './answer-hook';
import { readHookJson } from './read-hook-json';

/** A file system that does not respond must not keep this process running forever. */
const LIFETIME_MS = 15 * 60_000;

const HOOK_OPTIONS = {
  'config-dir': { type: 'string' },
  url: { type: 'string' },
  token: { type: 'string' },
  'queue-dir': { type: 'string' },
  project: { type: 'string' },
  'upload-archives': { type: 'string' },
} as const;

export async function runHookWorker(args: readonly string[]): Promise<void> {
  keepRunning();
  const logger = loggerToParent();
  const settled = () => sendToParent({ type: 'settled' });
  try {
    const now = Date.now();
    const settings = readSettings(args.slice(2), logger);
    const input = await readInput(logger);
    const { configFolder, projectFolder } = settings;
    if (input !== null && configFolder === null) {
      logger.error('PreCompact: failed to archive the transcript: no config folder is known');
    }
    if (input === null || configFolder === null) return;
    const repoPath = input.cwd ?? projectFolder ?? '.';
    const request: ArchiveRequest = { input, repoPath, configFolder, session: null, now };
    const outcome = await archiveTranscript(request);
    const { entry } = outcome;
    logOutcome(logger, outcome);
    settled();
    const subAgents = archiveAgents({ ...request, session: entry.session }, logger);
    const { runner } = settings;
    if (runner !== null && runner.url !== null && entry.session !== null) {
      const { reportHook } = await import('./report-hook');
      const connected = { ...runner, url: runner.url };
      const { session } = entry;
      await reportHook({ input, entry, session, settings: connected, configFolder, now, logger }, subAgents);
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
  // PostCompact is not reported: if the queue delivered the report late, the server would end the wrong context.
  return input.event === null || input.event === 'PreCompact' ? input : null;
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
