import { parseArgs } from 'node:util';
import { findNearest } from '../../../core/settings/read-settings';
import { type Command, UsageError, type Values } from './command';

export interface CommandLine {
  values: Values;
  positionals: string[];
  /** Asked for help instead. */
  help: boolean;
}

/** @throws UsageError that names the option, and the nearest known one. */
export function parseCommandLine(command: Command, args: readonly string[]): CommandLine {
  const options = { ...command.options, help: { type: 'boolean', short: 'h', help: '' } as const };
  const { tokens } = parseArgs({ args: [...args], options: {}, strict: false, tokens: true });
  refuseUnknown(command, Object.keys(options), tokens);
  const parsed = parse(args, options);
  const help = parsed.values.help === true;
  const { least, most } = command.positionals;
  if (!help && parsed.positionals.length < least) throw new UsageError(`${command.usage} needs an argument.`);
  if (!help && parsed.positionals.length > most) {
    throw new UsageError(`"${parsed.positionals[most]}" is one argument too many: ${command.usage}`);
  }
  return { ...parsed, help };
}

function parse(
  args: readonly string[],
  options: Record<string, { type: 'boolean' | 'string'; short?: string }>,
) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { values: values as Values, positionals };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function refuseUnknown(
  command: Command,
  known: readonly string[],
  tokens: readonly { kind: string; name?: string; rawName?: string }[],
): void {
  for (const { kind, name, rawName } of tokens) {
    if (kind !== 'option' || name === undefined || rawName === undefined || known.includes(name)) continue;
    if (rawName === '-h') continue;
    throw new UsageError(
      `Unknown option "${rawName}" of barograph ${command.name}. Did you mean "--${findNearest(name, known)}"?`,
    );
  }
}

/** @throws UsageError that names the nearest command. */
export function findCommand(commands: readonly Command[], name: string): Command {
  const command = commands.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  const nearest = findNearest(
    name,
    commands.map((candidate) => candidate.name),
  );
  throw new UsageError(`Unknown command "${name}". Did you mean "barograph ${nearest}"?`);
}
