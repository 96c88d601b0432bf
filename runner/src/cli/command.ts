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

/** What a command gets to work with; nothing of it is global, so that tests run commands in their process. */
export interface CommandContext {
  values: Values;
  positionals: readonly string[];
  out: Output;
  /** Aborted by Ctrl-C and SIGTERM: finish cleanly. */
  signal: AbortSignal;
  now(): number;
}

export interface Output {
  /** One line for people. */
  line(text?: string): void;
  /** One line about something that went wrong. */
  problem(text: string): void;
  /** A line that replaces itself on a terminal; elsewhere it is left out. */
  progress(text: string | null): void;
  readonly isTerminal: boolean;
  /** Characters of a line, where a terminal says so. */
  readonly columns?: number | undefined;
}

export interface Command {
  name: string;
  /** One line for the list of commands. */
  summary: string;
  usage: string;
  /** What a person wants to know before using it. */
  details: string;
  options: Options;
  /** Fewest and most arguments. */
  positionals: { least: number; most: number };
  /** Exit code: 0 done, 1 something did not work, 2 it was called wrongly. */
  run(context: CommandContext): Promise<number>;
}

/** A mistake in how a command was called: exit code 2 and the sentence. */
export class UsageError extends Error {}

export const CONNECTION_OPTIONS: Options = {
  url: { type: 'string', value: 'URL', help: 'server to report to (BAROGRAPH_URL)' },
  token: { type: 'string', value: 'TOKEN', help: 'token of scope ingest (BAROGRAPH_TOKEN)' },
  'queue-dir': {
    type: 'string',
    value: 'DIR',
    help: 'where unacknowledged items wait (BAROGRAPH_QUEUE_DIR)',
  },
};

export const UPLOAD_OPTIONS: Options = {
  'upload-archives': {
    type: 'string',
    value: 'WHERE',
    help: 'who gets archived transcripts: local (a server on this machine), on, off (BAROGRAPH_UPLOAD_ARCHIVES)',
  },
};

export const TRANSCRIPT_OPTIONS: Options = {
  ...CONNECTION_OPTIONS,
  ...UPLOAD_OPTIONS,
  project: {
    type: 'string',
    value: 'NAME',
    help: 'project all sessions join (BAROGRAPH_PROJECT); else the base name of the folder each worked in',
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

export function flagsOf(values: Values): RunnerFlags {
  return {
    url: textValue(values, 'url'),
    token: textValue(values, 'token'),
    project: textValue(values, 'project'),
    noContent: values['no-content'] === true,
    queueFolder: textValue(values, 'queue-dir'),
    uploadArchives: textValue(values, 'upload-archives'),
  };
}

/** @throws UsageError unless the value is a number from `least` to `most`. */
export function numberValue(values: Values, name: string, least: number, most: number): number | undefined {
  const text = textValue(values, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= least && value <= most) return value;
  throw new UsageError(`--${name} takes a number from ${least} to ${most}, and not "${text}".`);
}
