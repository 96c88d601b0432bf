/** The `barograph` command as a function: arguments in, exit code out. */
import { createInterface } from 'node:readline/promises';
import { findNearest } from '../../../core/settings/find-nearest';
import { ArchiveIndexError } from '../archive/archive-index';
import { VERSION } from '../version';
import { alertsCommand } from './alerts-command';
import { archivesCommand } from './archives/archives-command';
import { type Command, type CommandContext, HELP_OPTION, parseCommandLine, UsageError } from './command';
import { connectCommand, disconnectCommand } from './connect-command';
import { demoCommand } from './demo-command';
import { doctorCommand } from './doctor-command';
import { hookCommand } from './hook-command';
import { importCommand } from './import-command';
import { mcpCommand } from './mcp-command';
import { createOutput } from './output';
import { recallCommand } from './recall-command';
import {
  backupCommand,
  distributeCommand,
  downCommand,
  logsCommand,
  restoreCommand,
  statusCommand,
  tokenCommand,
} from './server-commands';
import { upCommand } from './up-command';
import { watchCommand } from './watch-command';

const commands: readonly Command[] = [
  upCommand,
  downCommand,
  statusCommand,
  logsCommand,
  tokenCommand,
  backupCommand,
  restoreCommand,
  distributeCommand,
  connectCommand,
  disconnectCommand,
  importCommand,
  watchCommand,
  hookCommand,
  archivesCommand,
  mcpCommand,
  recallCommand,
  alertsCommand,
  demoCommand,
  doctorCommand,
];
const HELP = new Set(['--help', '-h', 'help']);
const VERSIONS = new Set(['--version', '-v', 'version']);
const NAMES = commands.map(({ name }) => name);

export async function runProcess(): Promise<void> {
  const ended = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      // A second signal ends the process at once. No item is lost, because the queue is on disk.
      if (ended.signal.aborted) process.exit(130);
      ended.abort();
    });
  }
  // `barograph … | head` closes the pipe, which is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  const out = createOutput(process.stdout, process.stderr);
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  try {
    const context = {
      out,
      signal: ended.signal,
      now: Date.now,
      ...(isTerminal && { confirm: (question: string) => askOnTerminal(question, ended.signal) }),
    };
    process.exitCode = await runCommandLine(process.argv.slice(2), context);
  } catch (error) {
    out.problem(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = 1;
  }
}

async function askOnTerminal(question: string, signal: AbortSignal): Promise<boolean> {
  const terminal = createInterface(process.stdin, process.stdout);
  // While the question waits, the terminal delivers Ctrl-C to it as a key, without a signal to the process.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `, { signal })).trim());
  } catch {
    return false;
  } finally {
    terminal.close();
  }
}

export async function runCommandLine(
  args: readonly string[],
  context: Omit<CommandContext, 'values' | 'positionals'>,
): Promise<number> {
  const { out } = context;
  const [name, ...rest] = args;
  try {
    const [about] = rest;
    if (name === undefined || HELP.has(name)) {
      const isAbout = name === 'help' && about !== undefined;
      out.line(isAbout ? formatCommandHelp(findCommand(about)) : formatHelp());
      return name === undefined ? 2 : 0;
    }
    if (VERSIONS.has(name)) {
      out.line(VERSION);
      return 0;
    }
    const command = findCommand(name);
    const { values, positionals, isHelp } = parseCommandLine(command, rest);
    if (!isHelp) return await command.run({ ...context, values, positionals });
    out.line(formatCommandHelp(command));
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ArchiveIndexError)) throw error;
    out.problem(error.message);
    if (error instanceof ArchiveIndexError) return 1;
    // A client's settings may misspell `hook`, and exit code 2 would block every compaction.
    const isHook = !NAMES.includes(name ?? '') && findNearest(name ?? '', NAMES) === hookCommand.name;
    return isHook ? 1 : 2;
  }
}

function findCommand(name: string): Command {
  const command = commands.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  throw new UsageError(`Unknown command "${name}". Did you mean "barograph ${findNearest(name, NAMES)}"?`);
}

function formatHelp(): string {
  const width = Math.max(...NAMES.map((name) => name.length)) + 2;
  const list = commands.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}`).join('\n');
  return `Barograph ${VERSION}: the context pressure of agent fleets, recorded live.

usage: barograph COMMAND [OPTIONS]

Commands:
${list}

Examples:
  barograph up                           start the server on this machine, and connect its agents
  barograph connect                      connect the agents on this machine
  barograph import ~/.claude/projects    import everything Claude Code recorded on this machine
  barograph watch                        follow the agents on this machine, live
  barograph demo                         play a demo fleet
  barograph doctor                       check the server, the token and the queue

\`barograph help COMMAND\` describes a command. On the server's machine, address and token are found
automatically; elsewhere set BAROGRAPH_URL and BAROGRAPH_TOKEN, or give --url and --token.`;
}

function formatCommandHelp(command: Command): string {
  const options = Object.entries({ ...command.options, ...HELP_OPTION });
  const heads = options.map(([name, { value, short }]) => {
    const long = `--${name}${value === undefined ? '' : ` ${value}`}`;
    return short === undefined ? long : `${long}, -${short}`;
  });
  const width = Math.max(...heads.map((head) => head.length)) + 2;
  const list = options.map(([, { help }], index) => `  ${(heads[index] ?? '').padEnd(width)}${help}`);
  return `usage: ${command.usage}\n\n${command.details}\n\nOptions:\n${list.join('\n')}`;
}
