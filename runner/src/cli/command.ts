/** What a command is, its shared options, and the parser of command lines. */
import { parseArgs } from 'node:util';
import { findNearest } from '../../../core/settings/find-nearest';
import type { RunnerFlags } from '../settings';

export interface Option {
  type: 'boolean' | 'string';
  /** Placeholder of the value, as in `URL`. */
  value?: string;
  help: string;
  short?: string;
}

export type Options = Readonly<Record<string, Option>>;
export type Values = Readonly<Record<string, string | boolean | undefined>>;

/** Everything a command uses, so that tests can run commands in their own process. */
export interface CommandContext {
  values: Values;
  positionals: readonly string[];
  out: Output;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
  now(): number;
}

export interface Output {
  /** One line for people. */
  line(text?: string): void;
  /** One line about a problem. */
  problem(text: string): void;
  /** A line that replaces itself on a terminal and is left out elsewhere. */
  progress(text: string | null): void;
  readonly isTerminal: boolean;
  /** Width of the terminal in characters. */
  readonly columns?: number | undefined;
}

export interface Command {
  name: string;
  /** One line for the list of commands. */
  summary: string;
  usage: string;
  /** Help text above the options. */
  details: string;
  options: Options;
  /** Fewest and most arguments. */
  positionals: { least: number; most: number };
  /** Exit code: 0 success, 1 a problem, 2 wrong usage. */
  run(context: CommandContext): Promise<number>;
}

/** Wrong usage: exit code 2 and the message. */
export class UsageError extends Error {}

export const CONFIG_OPTION: Options = {
  'config-dir': { type: 'string', value: 'DIR', help: 'folder of archives, in runs/ (BAROGRAPH_CONFIG_DIR)' },
};

export const CONNECTION_OPTIONS: Options = {
  url: { type: 'string', value: 'URL', help: 'server to report to (BAROGRAPH_URL)' },
  token: { type: 'string', value: 'TOKEN', help: 'token of scope ingest (BAROGRAPH_TOKEN)' },
  'queue-dir': {
    type: 'string',
    value: 'DIR',
    help: 'folder of items that are not acknowledged yet (BAROGRAPH_QUEUE_DIR)',
  },
};

export const UPLOAD_OPTIONS: Options = {
  'upload-archives': {
    type: 'string',
    value: 'WHERE',
    help: 'upload transcripts: local (to a server on this machine), on, off (BAROGRAPH_UPLOAD_ARCHIVES)',
  },
};

export const TRANSCRIPT_OPTIONS: Options = {
  ...CONNECTION_OPTIONS,
  ...UPLOAD_OPTIONS,
  project: {
    type: 'string',
    value: 'NAME',
    help: 'project of all sessions (BAROGRAPH_PROJECT); default: the name of each session’s folder',
  },
  'no-content': {
    type: 'boolean',
    help: 'send numbers only, no titles and no transcripts (BAROGRAPH_CONTENT=off)',
  },
};

export function textValue(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** @throws UsageError unless the value is a number from `least` to `most`. */
export function numberValue(values: Values, name: string, least: number, most: number): number | undefined {
  const text = textValue(values, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= least && value <= most) return value;
  throw new UsageError(`--${name} takes a number from ${least} to ${most}, and not "${text}".`);
}

export function flagsOf(values: Values): RunnerFlags & { configFolder?: string | undefined } {
  return {
    url: textValue(values, 'url'),
    token: textValue(values, 'token'),
    project: textValue(values, 'project'),
    noContent: values['no-content'] === true,
    queueFolder: textValue(values, 'queue-dir'),
    configFolder: textValue(values, 'config-dir'),
    uploadArchives: textValue(values, 'upload-archives'),
  };
}

/** @throws UsageError that names a wrong option and the nearest known one. */
export function parseCommandLine(
  command: Command,
  args: readonly string[],
): { values: Values; positionals: string[]; isHelp: boolean } {
  const options = { ...command.options, help: { type: 'boolean', short: 'h', help: '' } as const };
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(options, token.name)) continue;
    const nearest = findNearest(token.name, Object.keys(options));
    throw new UsageError(
      `Unknown option "${token.rawName}" of barograph ${command.name}. Did you mean "--${nearest}"?`,
    );
  }
  const { values, positionals } = parseOrExplain(args, options);
  const { least, most } = command.positionals;
  const isHelp = values.help === true;
  if (!isHelp && positionals.length < least) throw new UsageError(`${command.usage} needs an argument.`);
  if (!isHelp && positionals.length > most) {
    throw new UsageError(`Unexpected argument "${positionals[most]}": ${command.usage}`);
  }
  return { values, positionals, isHelp };
}

function parseOrExplain(
  args: readonly string[],
  options: Options,
): { values: Values; positionals: string[] } {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
