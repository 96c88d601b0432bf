/** The `barograph` command as a function: arguments in, exit code out. */
import { findNearest } from '../../../core/settings/find-nearest';
import { VERSION } from '../version';
import { archivesCommand } from './archives/archives-command';
import { type Command, type CommandContext, UsageError } from './command';
import { demoCommand } from './demo-command';
import { doctorCommand } from './doctor-command';
import { hookCommand } from './hook-command';
import { importCommand } from './import-command';
import { findCommand, parseCommandLine } from './parse-command-line';
import { formatCommandHelp, formatHelp } from './print-help';
import { watchCommand } from './watch-command';

export const commands: readonly Command[] = [
  importCommand,
  watchCommand,
  hookCommand,
  archivesCommand,
  demoCommand,
  doctorCommand,
];

export async function runCommandLine(
  args: readonly string[],
  context: Omit<CommandContext, 'values' | 'positionals'>,
): Promise<number> {
  const { out } = context;
  const [name, ...rest] = args;
  try {
    if (name === undefined || name === '--help' || name === '-h') {
      out.line(formatHelp(commands));
      return name === undefined ? 2 : 0;
    }
    if (name === '--version' || name === '-v' || name === 'version') {
      out.line(VERSION);
      return 0;
    }
    if (name === 'help') {
      const [about] = rest;
      out.line(about === undefined ? formatHelp(commands) : formatCommandHelp(findCommand(commands, about)));
      return 0;
    }
    const command = findCommand(commands, name);
    const { values, positionals, help } = parseCommandLine(command, rest);
    if (help) {
      out.line(formatCommandHelp(command));
      return 0;
    }
    return await command.run({ ...context, values, positionals });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    out.problem(error.message);
    return isMisspeltHook(name) ? 1 : 2;
  }
}

/** In a client's settings, exit code 2 would block every compaction. */
function isMisspeltHook(name: string | undefined): boolean {
  const names = commands.map((command) => command.name);
  return name !== undefined && !names.includes(name) && findNearest(name, names) === hookCommand.name;
}
