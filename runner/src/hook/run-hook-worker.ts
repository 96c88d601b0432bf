/**
 * The work of a hook, in a process of its own: archives the transcript, says so, and then, with nobody waiting any
 * more, hands the report over to the client's queue. What loads packages is loaded after the archive.
 */
import { parseArgs } from 'node:util';
import { archiveTranscript, locateTranscript } from '../archive/archive-transcript';
import type { ArchiveEntry } from '../archive/archive-types';
import { type HookInput, readHookInput } from '../archive/read-hook-input';
import { logOutcome } from '../archive/tell-outcome';
import type { Logger } from '../logger';
import { type HookSettings, readHookSettings } from '../settings';
import type { HookMessage } from './hook-message';
import { HOOK_OPTIONS } from './hook-options';
import { readHookJson } from './read-hook-json';

/** A file system that does not answer must not keep processes for ever. */
const LIFETIME_MS = 15 * 60_000;

export async function runHookWorker(args: readonly string[]): Promise<void> {
  holdOn();
  const logger = loggerToParent();
  const settled = () => tellParent({ type: 'settled' });
  try {
    const now = Date.now();
    const { flags, unknown } = readFlags(args.slice(2));
    for (const name of unknown) logger.warn(`barograph hook has no option "${name}": it is ignored`);
    const settings = readHookSettings(flags);
    for (const warning of settings.warnings) logger.warn(warning);
    const input = await readInput(logger);
    const entry = input === null ? null : await archive(input, settings, now, logger);
    settled();
    if (input !== null && entry !== null) {
      const subAgents = archiveAgents(input, entry, settings, now, logger);
      await report(input, { entry, subAgents }, settings, now, logger);
      await subAgents;
    }
  } catch (error) {
    logger.error(`barograph hook: ${error instanceof Error ? error.message : String(error)}`);
    settled();
  } finally {
    // Neither an open standard input nor the channel is worth staying for.
    process.exit(0);
  }
}

/** Null: there is nothing to do, and the log says why. */
async function readInput(logger: Logger): Promise<HookInput | null> {
  const json = await readHookJson(process.stdin);
  if (!json.ok) {
    logger.warn(`barograph hook reads a hook's JSON from standard input: ${json.reason}`);
    return null;
  }
  const input = readHookInput(json.value);
  // Every other event is another hook's business. PostCompact is not worth a report: one that comes late, from the
  // queue, would end the wrong context; the transcript's own boundary confirms a compaction.
  if (input.event !== null && input.event !== 'PreCompact') return null;
  return input;
}

async function archive(
  input: HookInput,
  { configFolder, projectFolder }: HookSettings,
  now: number,
  logger: Logger,
): Promise<ArchiveEntry | null> {
  if (configFolder === null) {
    logger.error('PreCompact: failed to archive the transcript: nothing says where archives lie');
    return null;
  }
  const repoPath = input.cwd ?? projectFolder ?? '.';
  const outcome = await archiveTranscript({ input, repoPath, configFolder, session: null, now });
  logOutcome(logger, outcome);
  return outcome.entry;
}

/** Beside the compaction, which changes none of their files. Never rejects. */
async function archiveAgents(
  input: HookInput,
  entry: ArchiveEntry,
  { configFolder, projectFolder }: HookSettings,
  now: number,
  logger: Logger,
): Promise<ArchiveEntry[]> {
  const { session } = entry;
  if (configFolder === null || session === null || input.transcriptPath === null) return [];
  try {
    const { archiveSubAgents } = await import('../archive/archive-sub-agents');
    const transcript = locateTranscript(input.transcriptPath, input.cwd);
    const repoPath = input.cwd ?? projectFolder ?? '.';
    const outcomes = await archiveSubAgents({ input, transcript, session, repoPath, configFolder, now });
    for (const outcome of outcomes) logOutcome(logger, outcome);
    return outcomes.map(({ entry: made }) => made);
  } catch (error) {
    logger.error(
      `PreCompact: sub-agents were not archived: ${error instanceof Error ? error.message : error}`,
    );
    return [];
  }
}

async function report(
  input: HookInput,
  { entry, subAgents }: { entry: ArchiveEntry; subAgents: Promise<ArchiveEntry[]> },
  { runner, configFolder }: HookSettings,
  now: number,
  logger: Logger,
): Promise<void> {
  if (runner === null || runner.url === null || entry.session === null || configFolder === null) return;
  const { reportHook } = await import('./report-hook');
  const reported = { input, session: entry.session, settings: { ...runner, url: runner.url }, now, logger };
  const project = await reportHook({ ...reported, entry });
  const { handOverArchives } = await import('./hand-over-archives');
  await handOverArchives({ ...reported, entry, subAgents: await subAgents, project, configFolder });
}

function readFlags(args: string[]) {
  const { values, tokens } = parseArgs({ args, options: HOOK_OPTIONS, strict: false, tokens: true });
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
  const unknown = tokens.flatMap((token) => {
    if (token.kind === 'positional') return [token.value];
    return token.kind === 'option' && !Object.hasOwn(HOOK_OPTIONS, token.name) ? [token.rawName] : [];
  });
  const flags = {
    url: text('url'),
    token: text('token'),
    project: text('project'),
    queueFolder: text('queue-dir'),
    configFolder: text('config-dir'),
    uploadArchives: text('upload-archives'),
  };
  return { flags, unknown };
}

/** Who ends the hook's client, or its processes one by one, does not end a copy under way. */
function holdOn(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => undefined);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), LIFETIME_MS).unref();
  process.channel?.unref();
}

function loggerToParent(): Logger {
  const line = (level: keyof Logger) => (message: string) => tellParent({ type: 'line', level, message });
  return { debug: () => undefined, info: line('info'), warn: line('warn'), error: line('error') };
}

/** The parent may have ended: then nobody is left to be told. */
function tellParent(message: HookMessage): void {
  if (process.connected) process.send?.(message, () => undefined);
}
