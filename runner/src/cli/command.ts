/** The type of a command, shared options, and the parser of command lines. */
import { parseArgs } from 'node:util';
import { findNearest } from '../../../core/settings/find-nearest';
import { messageOf } from '../guard';

interface Option {
  type: 'boolean' | 'string';
  /** Placeholder for the option's value, such as `URL`. */
  value?: string;
  help: string;
  short?: string;
}

export type Options = Readonly<Record<string, Option>>;
export type Values = Readonly<Record<string, string | boolean | undefined>>;

/** Everything that a command uses from its process; tests pass substitutes. */
export interface CommandContext {
  values: Values;
  positionals: readonly string[];
  out: Output;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
  now(): number;
  /** Asks a question with the answers y and N. Absent without a terminal. */
  confirm?(question: string): Promise<boolean>;
}

export interface Output {
  line(text?: string): void;
  problem(text: string): void;
  /** A progress line: on a terminal, each call replaces the previous one; elsewhere nothing is printed. */
  progress(text: string | null): void;
}

export interface Command {
  name: string;
  summary: string;
  usage: string;
  details: string;
  options: Options;
  positionals: { least: number; most: number };
  /** Exit code: 0 success, 1 a problem, 2 wrong usage, 130 interrupted. */
  run(context: CommandContext): Promise<number>;
}

/** Wrong usage: exit code 2 and the message. */
export class UsageError extends Error {}

export const HELP_OPTION: Options = { help: { type: 'boolean', short: 'h', help: 'show this help' } };

export const CONFIG_OPTION: Options = {
  'config-dir': {
    type: 'string',
    value: 'DIR',
    help: 'folder with the archives in runs/ (BAROGRAPH_CONFIG_DIR)',
  },
};

export const CONNECTION_OPTIONS: Options = {
  url: { type: 'string', value: 'URL', help: 'server to report to (BAROGRAPH_URL)' },
  token: { type: 'string', value: 'TOKEN', help: 'token of scope ingest (BAROGRAPH_TOKEN)' },
  'queue-dir': { type: 'string', value: 'DIR', help: 'folder of unacknowledged items (BAROGRAPH_QUEUE_DIR)' },
};

export const UPLOAD_OPTIONS: Options = {
  'upload-archives': {
    type: 'string',
    value: 'WHERE',
    help: 'where to upload: local (a server on this machine), on (any server), off (BAROGRAPH_UPLOAD_ARCHIVES)',
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
  throw new UsageError(`--${name} takes a number from ${least} to ${most}, not "${text}".`);
}

/** @throws UsageError; for an unknown option, the message suggests the nearest known option. */
export function parseCommandLine(
  { name, usage, options: own, positionals: { least, most } }: Command,
  args: readonly string[],
): { values: Values; positionals: string[]; isHelp: boolean } {
  const options = { ...own, ...HELP_OPTION };
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const isHelp = values.help === true;
    if (!isHelp && positionals.length < least) throw new UsageError(`Missing argument: ${usage}`);
    if (!isHelp && positionals.length > most)
      throw new UsageError(`Unexpected argument "${positionals[most]}": ${usage}`);
    return { values, positionals, isHelp };
  } catch (error) {
    const message = messageOf(error);
    const [, option] = /^Unknown option '(-[^']*)'/.exec(message) ?? [];
    if (option === undefined) throw new UsageError(message);
    const nearest = findNearest(option.replace(/^-+/, ''), Object.keys(options));
    throw new UsageError(`Unknown option "${option}" of barograph ${name}. Did you mean "--${nearest}"?`);
  }
}
